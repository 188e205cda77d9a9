package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"nacre/experiment/layouts"
	"nacre/experiment/runs"
	"nacre/internal/home"
	"nacre/kernel"
	"nacre/kernel/jupyter"
	"nacre/kernel/jupyter/zmq"
	"nacre/notebooks"
	"nacre/server"
	"nacre/server/figures"
	"nacre/server/process"
	"nacre/web"
)

// NotebookOptions are the flags of nacre notebook.
type NotebookOptions struct {
	Path    string // folder or notebook; if empty, the working directory
	Address string
	Port    int
	Token   string // if empty, a token is made
	Hosts   []string
	Base    string // path that a reverse proxy gives the server; if empty, none
	Memory  string // memory of one kernel: "8GB"; "" for the machine's, "none" for no limit
	Engine  string // engine of the kernels; if empty, the default
	Browser bool   // open a browser
	Timing  bool   // write the times of cells' runs into files
	Runs    bool   // open the page of runs instead

	Processes int    // how many of the runs started from the page of runs are trained at the same time
	Programs  string // folder of the programs that pages run in the browser; empty for none

	// returns why the engine auto does not compile cells; the field is nil if another engine was chosen
	Compiles func() error
}

// Notebook serves a folder of notebooks until ctx is done.
func Notebook(ctx context.Context, env *Env, o NotebookOptions) error {
	dir, file, err := notebookPlace(o.Path)
	if err != nil {
		return err
	}
	argv, err := kernelCommand(o.Engine)
	if err != nil {
		return err
	}
	memory, err := kernelMemory(o.Memory)
	if err != nil {
		return err
	}
	front, built := web.Files()
	var programs fs.FS
	if o.Programs != "" {
		programs = os.DirFS(o.Programs)
	}
	index := runs.Open(dir)
	jobs, err := runs.NewJobs(index, argv[:1], o.Processes, env.Log)
	if err != nil {
		return err
	}
	defer jobs.Close()
	products := runs.NewProducts(index, argv[:1], env.Log)
	defer products.Close()
	s, err := server.New(server.Config{
		Dir: dir, Fixed: originals(dir), Token: o.Token, Kernel: argv, Memory: memory, Static: front, Wasm: programs,
		Timing: o.Timing, Hosts: o.Hosts, Base: o.Base, Log: env.Log,
		Runs:    &runs.Service{Index: index, Jobs: jobs, Products: products},
		Layouts: &layouts.Service{Root: dir},
		Figures: figures.Service{},
	})
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := listen(o.Address, o.Port)
	if err != nil {
		return err
	}
	go func() { // the page shows what is read by then, and itself says what cannot be read
		_ = index.Refresh(ctx)
		for _, line := range index.Notes() {
			env.Log.Info(line)
		}
	}()
	url := s.URL(l.Addr(), file)
	if o.Runs {
		url = s.PageURL(l.Addr(), "/runs")
	}
	if !built {
		env.Notice("the browser page is not built in: run make where the source is, with Node 18 or newer; other " +
			"front ends can connect")
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "*.ipynb")); len(found) == 0 {
		fmt.Fprintln(env.Err, "There is no notebook in this folder yet; `nacre examples` copies those that come with "+
			"nacre into it.")
	}
	fmt.Fprintf(env.Err, "notebooks of %s are at\n", dir)
	fmt.Fprintln(env.Out, url)
	fmt.Fprintln(env.Err, "Whoever has this address can run programs as you. Ctrl-C ends the server and its kernels.")
	if o.Compiles != nil {
		if err := o.Compiles(); errors.Is(err, kernel.ErrUncompiled) {
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			go compilePackages(ctx, env, argv[0], o.Compiles)
		} else if err != nil {
			fmt.Fprintf(env.Err, "Cells run on yaegi: %v.\n", err)
		}
	}
	if o.Browser {
		openBrowser(url, env)
	}
	return s.Serve(ctx, l)
}

// originals reports which files of a served folder are the notebooks that come with the program, in a checkout or
// beside the program of a release. A copy that `nacre examples` made is not an original.
func originals(dir string) func(path string) bool {
	return func(path string) bool {
		if _, err := fs.Stat(notebooks.Files, filepath.Base(path)); err != nil {
			return false
		}
		folder, err := os.Stat(filepath.Join(dir, filepath.Dir(filepath.FromSlash(path))))
		if err != nil {
			return false
		}
		if beside, err := os.Stat(home.Beside("notebooks")); err == nil && os.SameFile(folder, beside) {
			return true
		}
		above := filepath.Join(dir, filepath.Dir(filepath.FromSlash(path)), "..")
		module, err := os.ReadFile(filepath.Join(above, "go.mod"))
		shipped, err2 := os.Stat(filepath.Join(above, "notebooks"))
		return err == nil && err2 == nil && os.SameFile(folder, shipped) &&
			strings.HasPrefix(string(module), "module nacre\n")
	}
}

// compilePackages compiles the packages that cells import, for the engine "go". Meanwhile cells already run on yaegi.
// It does so in a process of the lowest priority, which ends with the server.
func compilePackages(ctx context.Context, env *Env, program string, compiles func() error) {
	fmt.Fprintln(env.Err, "Cells run on yaegi until the packages that they import are compiled for the engine go, "+
		"which takes minutes once.")
	cmd := exec.CommandContext(ctx, "nice", "-n", "19", program, "setup", "--cells")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // this ends the compilers too
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
	case err == nil && compiles() == nil:
		fmt.Fprintln(env.Err, "Kernels that start from now on compile their cells (engine go).")
	default:
		env.Notice("cells stay on yaegi: " + strings.TrimSpace(cmp.Or(string(out), fmt.Sprint(err))))
	}
}

// notebookPlace splits a path into the folder to serve and a notebook in it.
func notebookPlace(p string) (dir, file string, err error) {
	p = cmp.Or(p, ".")
	p, err = filepath.Abs(p)
	if err != nil {
		return "", "", err
	}
	info, err := os.Stat(p)
	if err != nil {
		return "", "", fmt.Errorf("%s: expected a folder or a notebook: %w", p, errors.Unwrap(err))
	}
	if info.IsDir() {
		return p, "", nil
	}
	return filepath.Dir(p), filepath.Base(p), nil
}

// listen takes the given port, or the next free one of the nine after it; port 0 takes any.
func listen(address string, port int) (net.Listener, error) {
	var first error
	for i := range 10 {
		l, err := net.Listen("tcp", net.JoinHostPort(address, strconv.Itoa(port+i)))
		if err == nil || port == 0 {
			return l, err
		}
		if first == nil {
			first = err
		}
		if port+i >= 65535 {
			break
		}
	}
	return nil, fmt.Errorf("no free port from %d on: %w", port, first)
}

// kernelCommand returns the command line of a kernel's process, which runs this program.
func kernelCommand(engine string) ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program's file, to start kernels: %w", err)
	}
	argv := []string{program, "kernel", "--pipe"}
	if engine != "" {
		argv = append(argv, "--engine", engine)
	}
	return argv, nil
}

// kernelMemory reads a limit such as 8GB; "" is the machine's memory, "none" no limit.
func kernelMemory(text string) (int64, error) {
	switch text {
	case "":
		return process.MachineMemory(), nil
	case "none":
		return 0, nil
	}
	upper := strings.ToUpper(strings.TrimSpace(text))
	unit := int64(1)
	for _, u := range []struct {
		name string
		size int64
	}{{"GIB", 1 << 30}, {"MIB", 1 << 20}, {"GB", 1e9}, {"MB", 1e6}} {
		if number, ok := strings.CutSuffix(upper, u.name); ok {
			upper, unit = strings.TrimSpace(number), u.size
			break
		}
	}
	n, err := strconv.ParseFloat(upper, 64)
	if err != nil || !(n*float64(unit) >= 64<<20) || n*float64(unit) > 1<<60 {
		return 0, Usagef("--kernel-memory %s: expected an amount of at least 64 MiB, such as 8GB, or none", text)
	}
	return int64(n * float64(unit)), nil
}

// KernelOptions are the flags of nacre kernel.
type KernelOptions struct {
	ConnectionFile string // connection file, for ZeroMQ
	Pipe           bool   // use pipes, for this program's server
	Engine         string
}

// Kernel runs the notebook kernel itself. This program's server talks to it over two inherited pipes, other programs
// over ZeroMQ with the ports of a connection file.
func Kernel(ctx context.Context, env *Env, o KernelOptions, open func(engine string) (kernel.Session, error)) error {
	if !o.Pipe && process.Offered {
		return relayZMQ(ctx, env, o)
	}
	session, err := open(o.Engine)
	if err != nil {
		return err
	}
	defer session.Close()
	os.Args = os.Args[:1] // flag.Parse in a cell must not read the kernel's own arguments
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	go func() {
		for range interrupts {
			session.Interrupt()
		}
	}()
	if o.Pipe {
		return process.Serve(ctx, session)
	}
	c, ctx, err := connection(ctx, o.ConnectionFile)
	if err != nil {
		return err
	}
	return zmq.Serve(ctx, c, session, env.Log)
}

// relayZMQ answers the clients of a connection file from a child process: what the kernel's process and its children
// print reaches them, and so does the reason of its end.
func relayZMQ(ctx context.Context, env *Env, o KernelOptions) error {
	c, ctx, err := connection(ctx, o.ConnectionFile)
	if err != nil {
		return err
	}
	argv, err := kernelCommand(o.Engine)
	if err != nil {
		return err
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	var relay *process.Relay
	err = zmq.Carry(ctx, c, func(send func(*jupyter.Message)) (zmq.Backend, error) {
		if relay, err = process.NewRelay(process.Config{Argv: argv}, send); err != nil {
			return nil, err
		}
		go func() {
			for range interrupts {
				relay.Interrupt()
			}
		}()
		return relay, nil
	}, env.Log)
	if err != nil {
		return err
	}
	return relay.Err()
}

// connection reads a connection file. The context ends too when the program that started this one does, if that is
// Jupyter.
func connection(ctx context.Context, file string) (zmq.Connection, context.Context, error) {
	c, err := zmq.ReadConnection(file)
	if err == nil && os.Getenv("JPY_PARENT_PID") != "" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		go withParent(ctx, cancel)
	}
	return c, ctx, err
}

// withParent calls end when the process that started this one has ended, as Jupyter expects of kernels.
func withParent(ctx context.Context, end func()) {
	parent := os.Getppid()
	for ctx.Err() == nil {
		time.Sleep(time.Second)
		if os.Getppid() != parent {
			end()
		}
	}
}

// KernelspecOptions are the flags of nacre kernelspec install.
type KernelspecOptions struct {
	Prefix string // prefix to install under; if empty, for this user
	Engine string // engine that the kernel is started with; if empty, auto
}

// InstallKernelspec makes the kernel known to Jupyter, for this user or under a prefix.
func InstallKernelspec(_ context.Context, env *Env, o KernelspecOptions) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := zmq.SpecDir(o.Prefix)
	if err != nil {
		return err
	}
	argv := []string{program, "kernel", "--connection-file", "{connection_file}"}
	if o.Engine != "" {
		argv = append(argv, "--engine", o.Engine)
	}
	file, err := zmq.Install(dir, server.SpecName, zmq.Spec{
		Argv:        argv,
		DisplayName: server.DisplayName, Language: "go",
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Out, file)
	return nil
}

// openBrowser asks the system to show an address. If the system cannot, that is one line and no error.
func openBrowser(url string, env *Env) {
	command := "xdg-open"
	if runtime.GOOS == "darwin" {
		command = "open"
	}
	if err := exec.Command(command, url).Start(); err != nil {
		env.Log.Info("no browser was opened", "error", err)
	}
}
