package kernel

import (
	"context"
	"fmt"
	"strings"
)

// Program returns cells, in their order, as plain Go. Calls whose error is not handled are wrapped in functions that
// end the program with the error. The result decls declares these functions and their imports. Cells that do not fit
// stay as they are. Nothing runs, and the session does not change.
func (s *session) Program(list []string) (explicit []string, decls string) {
	s.info.Lock()
	defer s.info.Unlock()
	p := s.prog.Fresh()
	needs := map[int]bool{}
	for k, code := range list {
		explicit = append(explicit, code)
		_, code, err := s.plain(code, p.Knows)
		if err != nil {
			continue
		}
		u, err := p.Check(context.Background(), k+1, code)
		if err != nil {
			continue
		}
		u.Commit()
		u.CommitVars(len(u.Body))
		explicit[k] = u.Explicit(func(values int) string {
			needs[values] = true
			return fmt.Sprint("checked", values)
		})
	}
	if len(needs) == 0 {
		return explicit, ""
	}
	var b strings.Builder
	b.WriteString("import (\n\t\"log\"\n\t\"os\"\n)\n\n// check ends the program where a call's error is there, and " +
		"says in which line.\n" +
		"func check(err error) {\n\tif err != nil {\n\t\tlog.SetFlags(log.Lshortfile)\n" +
		"\t\tlog.Output(3, err.Error())\n\t\tos.Exit(1)\n\t}\n}\n")
	for n := range 32 {
		if needs[n] {
			b.WriteString(checked(n))
		}
	}
	return explicit, b.String()
}

// checked declares the function for calls with n values and an error.
func checked(n int) string {
	var kinds, params, values []string
	for k := range n {
		kinds = append(kinds, fmt.Sprintf("T%d", k))
		params = append(params, fmt.Sprintf("v%d T%d", k, k))
		values = append(values, fmt.Sprintf("v%d", k))
	}
	if n == 0 {
		return "\nfunc checked0(err error) { check(err) }\n"
	}
	list := strings.Join(kinds, ", ")
	return fmt.Sprintf("\nfunc checked%d[%s any](%s, err error) (%s) {\n\tcheck(err)\n\treturn %s\n}\n",
		n, list, strings.Join(params, ", "), list, strings.Join(values, ", "))
}
