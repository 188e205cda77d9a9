"""Runs the same ten notebooks with seven clients and compares what each keeps of them with what `nacre execute` keeps.

python bench/clients/same.py [OUT.json], from the repository's root; run.sh prepares what it needs. NACRE is the program.
JupyterLab and Nacre's own page run in a Chromium, which NACRE_CHROMIUM names if its name is unusual. Streams are joined
and times masked. It prints a table of notebooks by clients, which are also the rows of a measurement in OUT.json, and
ends with 1 if anything differs.
"""

import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
import papermill
import websocket
from nbclient import NotebookClient

from clients_test import serve

NACRE = os.environ["NACRE"]
TOKEN = os.environ["NACRE_TOKEN"]
CHROMIUM = os.environ.get("NACRE_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"))), None)
HERE = Path(__file__).parent
PATIENCE = 600  # seconds for one notebook

NOTEBOOKS = {
    "streams": [
        'import ("fmt"; "os")\nfor i := range 200 { fmt.Println("line", i) }',
        'fmt.Println("out")\nfmt.Fprintln(os.Stderr, "err")\nfmt.Print("no end of line")',
        'fmt.Print("ünïcödé ∑ 漢字 😀\\n", "\\x1b[31mred\\x1b[0m\\n")',
    ],
    "values": [
        "x := 20\nx + 1",
        '[]any{1.5, "text", true, nil}',
        'map[string]int{"b": 2, "a": 1}',
        "type point struct{ X, Y float64 }\npoint{1, 2}",
        "uint64(1<<63)",
    ],
    "errors": [
        'panic("no")',
        "undefined + 1",
        "s := []int{1}\ns[x]",
        "i := 3\n[]int{1, 2}[i]",
        'import "errors"\nvar err error = errors.New("a result that is an error")\nerr',
        "1",
    ],
    "progress": [
        'import "fmt"\nfor i := range 5 { fmt.Printf("%d %%\\n", 25*i) }',
        'import "time"\nstart := time.Now()\ntime.Sleep(time.Millisecond)\nfmt.Println("took", time.Since(start))',
    ],
    "documents": [
        'import "nacre/library/display"\ndisplay.Bundle{"text/html": "<b>bold</b>", "text/plain": "bold"}',
        'display.Show(display.Bundle{"text/markdown": "# Title", "text/plain": "Title"}, '
        'display.Bundle{"text/latex": "$x^2$", "text/plain": "x^2"})',
        'display.Bundle{"application/json": map[string]any{"a": []int{1, 2}}, "text/plain": "json"}',
    ],
    "tables": [
        'import "nacre/library/display"\ndisplay.Table([]string{"task", "return"}, [][]any{{"left", 1.5}, {"right", 2}})',
        'import "nacre/analysis/frame"\ntype row struct { Task string; Return float64 }\n'
        'frame.Of([]row{{"left", 1}, {"right", 3}}).Mean("Return")',
    ],
    "charts": [
        'import ("nacre/analysis/frame"; "nacre/analysis/plots")\n'
        "type row struct { X, Y float64 }\nrows := []row{}\nfor i := range 20 { rows = append(rows, row{float64(i), float64(i*i)}) }",
        'plots.Line(frame.Of(rows), "X", "Y", plots.Title("a parabola"))',
        'plots.Histogram(frame.Of(rows), "Y")',
    ],
    "images": [
        'import ("image"; "image/color")\nm := image.NewRGBA(image.Rect(0, 0, 8, 8))\n'
        "for i := range 8 { m.Set(i, i, color.RGBA{255, 0, 0, 255}) }\nm",
    ],
    "updates": [
        'import ("fmt"; "nacre/library/display")\nh := display.Updating("first")\nfmt.Println("between")\nh.Update("second")',
        'h.Update("third, from a later cell")',
        'fmt.Println("cleared")\ndisplay.Clear(false)\nfmt.Println("stays")',
        'fmt.Println("cleared")\ndisplay.Clear(true)\nfmt.Println("stays")',
    ],
    "training": [
        'import "nacre/library/lab"\nrun := lab.Train("quick/point-goal", lab.Iterations(2), lab.Set('
        '"pearl.hidden=16", "pearl.encoder_hidden=16", "pearl.updates_per_iteration=5", "train_tasks=4", "test_tasks=2"))',
        'run.Metrics().Select("env_steps", "q_loss")',
        "run.Rollout(0)",
    ],
}


def notebook(sources):
    """A notebook whose cells may all fail and none ends the run."""
    cells = [nbformat.v4.new_code_cell(s, id=f"cell-{i}", metadata={"tags": ["raises-exception"]}) for i, s in enumerate(sources)]
    spec = {"name": "nacre", "display_name": "Go", "language": "go"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": spec, "language_info": {"name": "go"}})


# Each client runs the notebooks of a folder and leaves them there, or returns their cells.


def by_execute(folder):
    for name in NOTEBOOKS:
        path = folder / f"{name}.ipynb"
        subprocess.run([NACRE, "-q", "execute", path, "-o", path], check=True, stdout=subprocess.DEVNULL)


def by_nbclient(folder):
    for name in NOTEBOOKS:
        nb = nbformat.read(folder / f"{name}.ipynb", as_version=4)
        NotebookClient(nb, kernel_name="nacre", timeout=PATIENCE, resources={"metadata": {"path": folder}}).execute()
        nbformat.write(nb, folder / f"{name}.ipynb")


def by_papermill(folder):
    for name in NOTEBOOKS:
        path = str(folder / f"{name}.ipynb")
        try:
            papermill.execute_notebook(path, path, kernel_name="nacre", cwd=str(folder), progress_bar=False)
        except papermill.PapermillExecutionError:  # raised when all cells have run and are written
            nb = nbformat.read(path, as_version=4)
            nb.cells = [c for c in nb.cells if "papermill-error-cell-tag" not in c.metadata.get("tags", [])]
            nbformat.write(nb, path)


def by_voila(folder):
    """Voilà's own server and executor, with a template that writes the cells as JSON in place of HTML."""
    with tempfile.TemporaryDirectory() as data:
        template = Path(data, "voila/templates/cells")
        template.mkdir(parents=True)
        (template / "conf.json").write_text('{"base_template": "base"}')
        (template / "index.html.j2").write_text(
            "{%- set kernel = kernel_start(nb) -%}\n{%- do notebook_execute(nb, kernel) -%}\n"
            "{%- for cell in nb.cells -%}\n{{ cell | tojson }}\n{% endfor -%}\n")
        port = free_port()
        server, url = serve(
            "voila", "--no-browser", f"--port={port}", "--template=cells", "--show_tracebacks=True", str(folder),
            until=rf"http://[a-z0-9.]+:{port}", env={"JUPYTER_PATH": data})
        try:
            cells = {}
            for name in NOTEBOOKS:
                text = fetch(f"{url}/voila/render/{name}.ipynb").decode()
                cells[name] = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
            return cells
        finally:
            end(server)


def by_lab(folder):
    """JupyterLab in a browser: Run All Cells, Save."""
    port = free_port()
    server, url = serve(
        "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.token=lab",
        "--LabApp.expose_app_in_browser=True", f"--notebook-dir={folder}", until=rf"http://127\.0\.0\.1:{port}")
    try:
        with Browser() as browser:
            for name in NOTEBOOKS:
                page = browser.open(f"{url}/lab/workspaces/{name}/tree/{name}.ipynb?token=lab")
                page.until("window.jupyterapp && jupyterapp.shell.currentWidget?.context?.isReady && "
                           "jupyterapp.shell.currentWidget.sessionContext?.isReady && "
                           "jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'")
                page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells').then(() => null)")
                page.until("jupyterapp.shell.currentWidget.sessionContext.session.kernel.status === 'idle' && "
                           "[...jupyterapp.shell.currentWidget.content.model.cells].every(c => c.executionCount !== null)")
                page.evaluate("jupyterapp.commands.execute('docmanager:save').then(() => null)")
                page.close()
    finally:
        end(server)


def by_vscode(folder):
    """What VS Code's Jupyter extension sends and receives, by vscode.mjs."""
    with nacre(folder) as url:
        for name in NOTEBOOKS:
            path = folder / f"{name}.ipynb"
            subprocess.run(["node", HERE / "vscode.mjs", url + "/", TOKEN, path], check=True, stdout=subprocess.DEVNULL)


def by_page(folder):
    """Nacre's own page: runs the cells one by one, since an error ends the run of several, and saves."""
    with nacre(folder) as url, Browser() as browser:
        for name in NOTEBOOKS:
            page = browser.open(f"{url}/notebooks/{name}.ipynb?token={TOKEN}")
            page.until("document.body?.dataset.ready === 'yes'")
            for i in range(len(NOTEBOOKS[name])):
                page.evaluate(f"nacre.running.range({i}, {i + 1}).then(() => null)")
                page.until(f"nacre.notebook.cells[{i}].state === 'idle' && nacre.notebook.cells[{i}].count !== null")
            page.evaluate("nacre.saving.save().then(() => null)")
            page.close()


CLIENTS = {
    "nacre execute": by_execute, "nbclient": by_nbclient, "papermill": by_papermill, "JupyterLab": by_lab, "voilà": by_voila,
    "VS Code's protocol": by_vscode, "the page": by_page,
}


class Browser:
    """A headless Chromium, by the DevTools protocol."""

    def __enter__(self):
        self.profile = tempfile.mkdtemp()
        self.process, found = serve(
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={self.profile}",
            "--remote-allow-origins=*", "about:blank", until=r"ws://(127\.0\.0\.1:\d+)/")
        self.host = found.split("/")[2]
        return self

    def __exit__(self, *_):
        end(self.process)
        shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, url):
        request = urllib.request.Request(f"http://{self.host}/json/new?{urllib.parse.quote(url, safe='')}", method="PUT")
        return Page(json.load(urllib.request.urlopen(request))["webSocketDebuggerUrl"])


class Page:
    def __init__(self, address):
        self.socket = websocket.create_connection(address, timeout=PATIENCE)
        self.last = 0

    def call(self, method, **params):
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.last:
                return answer

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "error" in answer or "exceptionDetails" in answer["result"]:
            raise RuntimeError(f"{expression}: {answer}")
        return answer["result"]["result"].get("value")

    def until(self, expression):
        began = time.monotonic()
        problem = None
        while time.monotonic() - began < PATIENCE:
            try:
                if self.evaluate(f"Boolean({expression})"):
                    return
            except RuntimeError as e:  # a page that is being loaded
                problem = e
            time.sleep(0.2)
        raise TimeoutError(f"never true: {expression} ({problem})")

    def close(self):
        self.call("Page.close")
        self.socket.close()


class nacre:
    """Nacre's server for a folder; its value is its address."""

    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        self.process, url = serve(NACRE, "notebook", str(self.folder), "--port", "0", until=r"http://127\.0\.0\.1:\d+", env={"NACRE_TOKEN": TOKEN})
        return url

    def __exit__(self, *_):
        end(self.process)


def end(process):
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port():
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def fetch(url):
    for _ in range(300):  # a server says where it is before it is there
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as f:
                return f.read()
        except urllib.error.HTTPError:
            raise
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(url)


TIMES = re.compile(r"\d+(\.\d+)?\s?(ns|µs|ms|s|min)\b")


def kept(cell):
    """The outputs of a cell as they are compared: streams joined, times masked, numbers of runs left out."""
    outputs = []
    for o in cell["outputs"]:
        o = {k: v for k, v in o.items() if k != "execution_count"}
        text = o.get("text")
        if isinstance(text, list):
            o["text"] = "".join(text)
        if "data" in o:
            o["data"] = {k: "".join(v) if isinstance(v, list) and not k.endswith("json") else v for k, v in o["data"].items()}
        before = outputs[-1] if outputs else {}
        if o["output_type"] == "stream" and before.get("output_type") == "stream" and before["name"] == o["name"]:
            before["text"] += o["text"]
        else:
            outputs.append(o)
    return [TIMES.sub("TIME", json.dumps(o, sort_keys=True, ensure_ascii=False, indent=1)) for o in outputs]


def run(client):
    """The cells of each notebook as a client keeps them."""
    with tempfile.TemporaryDirectory() as d:
        folder = Path(d)
        for name, sources in NOTEBOOKS.items():
            nbformat.write(notebook(sources), folder / f"{name}.ipynb")
        cells = CLIENTS[client](folder) or {n: json.loads((folder / f"{n}.ipynb").read_text())["cells"] for n in NOTEBOOKS}
        print(f"{client}: has run them", flush=True)
        return {n: [kept(c) for c in cells[n]] for n in NOTEBOOKS}


def main():
    if not CHROMIUM:
        sys.exit("There is no Chromium: install chromium or google-chrome, or set NACRE_CHROMIUM to its path")
    with ProcessPoolExecutor(4) as pool:
        got = dict(zip(CLIENTS, pool.map(run, CLIENTS)))
    want = got[next(iter(CLIENTS))]
    rows, differences = [], 0
    for name in NOTEBOOKS:
        row = {}
        for client in CLIENTS:
            equal = sum(a == b for a, b in zip(want[name], got[client][name], strict=True))
            row[client] = f"{equal} of {len(want[name])}"
            for i, (a, b) in enumerate(zip(want[name], got[client][name])):
                if a != b:
                    differences += 1
                    diff = difflib.unified_diff("\n".join(a).splitlines(), "\n".join(b).splitlines(), "nacre execute", client, lineterm="", n=1)
                    print(f"{name}, cell {i + 1}:", *(line[:200] for line in list(diff)[:24]), sep="\n  ")
        row["outputs"] = sum(map(len, want[name]))
        rows.append({"of": [name], "cells": row})
        print(f"{name:12}", *(f"{row[c]:>8}" for c in CLIENTS), f"{row['outputs']:>4} outputs")
    print(f"{differences} cells differ" if differences else "all outputs are equal")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main())
