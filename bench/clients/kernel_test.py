"""jupyter_kernel_test against the installed kernelspec: python -m unittest kernel_test."""

import jupyter_kernel_test


class NacreKernel(jupyter_kernel_test.KernelTests):
    kernel_name = "nacre"
    language_name = "go"
    file_extension = ".go"
    code_hello_world = 'import "fmt"\nfmt.Println("hello, world")'
    code_stderr = 'import ("fmt"; "os")\nfmt.Fprintln(os.Stderr, "test")'
    completion_samples = [{"text": 'import "strings"\nstrings.TrimSuf', "matches": {"TrimSuffix"}}]
    complete_code_samples = ["x := 1", "func f() int { return 1 }", ""]
    incomplete_code_samples = ["func f() {", "if true {", "x := ("]
    invalid_code_samples = ["func 1() {}", "x := )"]
    code_generate_error = 'panic("oops")'
    code_execute_result = [{"code": "6*7", "result": "42"}, {"code": "1+1", "result": "2"}]
    code_display_data = [{"code": 'import "nacre/library/display"\ndisplay.Show(display.Markdown("**b**"))', "mime": "text/markdown"}]
    code_clear_output = 'import "nacre/library/display"\ndisplay.Clear(false)'
    code_history_pattern = "1?1*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = 'import "strings"\nstrings.TrimSuffix'
