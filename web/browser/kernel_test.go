package browser

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"nacre/kernel"
	"nacre/kernel/kerneltest"
	shows "nacre/library/display"
)

// session adds to kerneltest's commands, one a cell, what this package's tests need:
//
//	count N MS         print 1 … N, one every MS milliseconds
//	until FILE         print 1, 2, … every few milliseconds until the file exists, then "end"
//	stream "QUOTED"    write text with escapes to stdout
//	show TYPE DATA     display DATA as one MIME type
//	again ID TYPE DATA display under an id; change ID TYPE DATA replaces it
//	curve N MS         a curve that grows to N points
//	embedding N        N points of four tasks around the corners of a square of side 20
//	pid                print the process's number
type session struct{ kerneltest.Session }

func (s *session) Execute(ctx context.Context, r kernel.Request, out kernel.Output) kernel.Reply {
	word, rest, _ := strings.Cut(r.Code, " ")
	do := commands[word]
	if do != nil {
		r.Code = ""
	}
	reply := s.Session.Execute(ctx, r, out)
	if do != nil {
		do(out, r.CellID, rest)
	}
	return reply
}

func whole(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

var commands = map[string]func(out kernel.Output, cell, rest string){
	"count": func(out kernel.Output, _, rest string) {
		f := strings.Fields(rest)
		for i := range whole(f[0]) {
			out.Stream("stdout", fmt.Sprintln(i+1))
			time.Sleep(time.Duration(whole(f[1])) * time.Millisecond)
		}
	},
	"until": func(out kernel.Output, _, file string) {
		for i := 1; ; i++ {
			out.Stream("stdout", fmt.Sprintln(i))
			if _, err := os.Stat(file); err == nil {
				out.Stream("stdout", "end\n")
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	},
	"stream": func(out kernel.Output, _, rest string) {
		text, err := strconv.Unquote(rest)
		if err != nil {
			panic(err)
		}
		out.Stream("stdout", text)
	},
	"show": func(out kernel.Output, _, rest string) { out.Display(typed("", rest)) },
	"again": func(out kernel.Output, _, rest string) {
		id, what, _ := strings.Cut(rest, " ")
		out.Display(typed(id, what))
	},
	"change": func(out kernel.Output, _, rest string) {
		id, what, _ := strings.Cut(rest, " ")
		out.Update(typed(id, what))
	},
	"curve": func(out kernel.Output, cell, rest string) {
		f := strings.Fields(rest)
		var x, y []float64
		for i := range whole(f[0]) {
			x, y = append(x, float64(i)), append(y, math.Sqrt(float64(i)))
			d := kernel.Data{ID: "curve-" + cell,
				MIME: map[string]any{"text/plain": "a curve", shows.CurvesMIME: map[string]any{
					"version": 1, "title": "return", "x_label": "steps", "y_label": "return", "log_y": false,
					"series": []any{map[string]any{"name": "PEARL", "x": x, "y": y}}}}}
			if i == 0 {
				out.Display(d)
			} else {
				out.Update(d)
			}
			time.Sleep(time.Duration(whole(f[1])) * time.Millisecond)
		}
	},
	"embedding": func(out kernel.Output, _, rest string) {
		out.Display(kernel.Data{MIME: map[string]any{"text/plain": "an embedding",
			shows.EmbeddingMIME: square(whole(rest))}})
	},
	"pid": func(out kernel.Output, _, _ string) { out.Stream("stdout", strconv.Itoa(os.Getpid())) },
}

func typed(id, rest string) kernel.Data {
	mime, data, _ := strings.Cut(rest, " ")
	var v any = data
	if strings.HasSuffix(mime, "json") {
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			panic(err)
		}
	}
	return kernel.Data{ID: id, MIME: map[string]any{mime: v}}
}

// square is an embedding of n points: those of task k lie on a circle of radius 1 around corner k of a square of side
// 20.
func square(n int) map[string]any {
	b := make([]byte, 0, 8*n)
	labels, hover := make([]int, n), make([]string, n)
	for i := range n {
		k := i % 4
		labels[i], hover[i] = k, fmt.Sprintf("window %d", i)
		a := 2 * math.Pi * float64(i/4) / float64((n+3)/4)
		x, y := 20*float64(k&1)+math.Cos(a), 20*float64(k>>1)+math.Sin(a)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(y)))
	}
	return map[string]any{"version": 1, "title": "square", "n": n, "encoding": "float32",
		"points": base64.StdEncoding.EncodeToString(b), "scale": nil,
		"labels": labels, "label_names": []string{"a", "b", "c", "d"}, "hover": hover, "vectors": nil}
}
