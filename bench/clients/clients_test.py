"""nbclient, papermill, jupyter_client and JupyterLab against Nacre: python -m unittest clients_test.

Run from the repository's root; NACRE is the program, started by the tests where they need a server.
"""

import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path

import nbformat
import papermill
from jupyter_client.manager import start_new_kernel
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError

NACRE = os.environ["NACRE"]
TOKEN = "conformance-token-0123456789"


def notebook(*sources):
    cells = [nbformat.v4.new_code_cell(s) for s in sources]
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": {"name": "nacre", "display_name": "Go", "language": "go"}})


def run(nb, **options):
    return NotebookClient(nb, kernel_name="nacre", timeout=options.pop("timeout", 60), **options).execute()


class NBClient(unittest.TestCase):
    def test_outputs(self):
        nb = run(notebook('import "fmt"\nx := 20', 'fmt.Println("hello")\nx + 1'))
        stream, result = nb.cells[1].outputs
        self.assertEqual(stream.text, "hello\n")
        self.assertEqual(result.data["text/plain"], "21")
        nbformat.validate(nb)

    def test_error(self):
        with self.assertRaises(CellExecutionError):
            run(notebook('panic("no")'))
        nb = run(notebook('panic("no")', "1"), allow_errors=True)
        self.assertEqual(nb.cells[0].outputs[0].output_type, "error")
        self.assertEqual(nb.cells[1].outputs[0].data["text/plain"], "1")

    def test_timeout_interrupts(self):
        with self.assertRaises(CellTimeoutError):
            run(notebook("for {}"), timeout=2)
        nb = run(notebook("for {}", "2"), timeout=2, interrupt_on_timeout=True, allow_errors=True)
        self.assertEqual(nb.cells[0].outputs[-1].ename, "Interrupted")
        self.assertEqual(nb.cells[1].outputs[0].data["text/plain"], "2")

    def test_dead_kernel(self):
        from nbclient.exceptions import DeadKernelError
        client = NotebookClient(notebook("for {}"), kernel_name="nacre", timeout=60)
        client.on_cell_execute = lambda **_: threading.Timer(1, lambda: os.kill(client.km.provisioner.pid, 9)).start()
        with self.assertRaises(DeadKernelError):
            client.execute()


class Papermill(unittest.TestCase):
    def test_run(self):
        with tempfile.TemporaryDirectory() as d:
            nbformat.write(notebook('import "fmt"\nfmt.Println(3)'), Path(d, "in.ipynb"))
            papermill.execute_notebook(f"{d}/in.ipynb", f"{d}/out.ipynb", kernel_name="nacre", progress_bar=False)
            out = nbformat.read(f"{d}/out.ipynb", as_version=4)
            self.assertEqual(out.cells[0].outputs[0].text, "3\n")
            self.assertEqual(out.cells[0].metadata.papermill.status, "completed")

    def test_our_batch_run_writes_what_nbformat_reads(self):
        with tempfile.TemporaryDirectory() as d:
            nb = notebook("n := 1", "n * 2")
            nb.cells[0].metadata.tags = ["parameters"]
            nbformat.write(nb, Path(d, "in.ipynb"))
            subprocess.run([NACRE, "-q", "execute", f"{d}/in.ipynb", "-o", f"{d}/out.ipynb", "-p", "n=21"], check=True, stdout=subprocess.DEVNULL)
            out = nbformat.read(f"{d}/out.ipynb", as_version=4)
            nbformat.validate(out)
            self.assertEqual(out.cells[-1].outputs[0].data["text/plain"], "42")
            again = nbformat.writes(out) + "\n"
            self.assertEqual(Path(d, "out.ipynb").read_text(), again)  # byte for byte what nbformat writes


class ShippedNotebooks(unittest.TestCase):
    """The notebooks of this repository, with little to do, by nbclient and by papermill."""

    small = {
        "quickstart": "iterations = 1; windows = 15",
        "new-loss": "rounds = 1; updates = 2",
        "environments": "steps = 3",
    }

    def reduced(self, name):
        nb = nbformat.read(f"notebooks/{name}.ipynb", as_version=4)
        at = next(i for i, c in enumerate(nb.cells) if "parameters" in c.metadata.get("tags", []))
        nb.cells.insert(at + 1, nbformat.v4.new_code_cell(self.small[name]))
        return nb

    def check(self, nb):
        nbformat.validate(nb)
        self.assertTrue(any(c.get("outputs") for c in nb.cells))
        self.assertFalse([o for c in nb.cells for o in c.get("outputs", []) if o.output_type == "error"])

    def test_nbclient(self):
        for name in self.small:
            with self.subTest(notebook=name):
                self.check(run(self.reduced(name), timeout=300, resources={"metadata": {"path": "notebooks"}}))

    def test_papermill(self):
        with tempfile.TemporaryDirectory() as d:
            nbformat.write(self.reduced("quickstart"), Path(d, "in.ipynb"))
            papermill.execute_notebook(f"{d}/in.ipynb", f"{d}/out.ipynb", kernel_name="nacre", progress_bar=False, cwd="notebooks")
            self.check(nbformat.read(f"{d}/out.ipynb", as_version=4))


class ZeroMQ(unittest.TestCase):
    """libzmq, by way of pyzmq, against our own implementation of its protocol."""

    @classmethod
    def setUpClass(cls):
        cls.manager, cls.client = start_new_kernel(kernel_name="nacre")

    @classmethod
    def tearDownClass(cls):
        cls.client.stop_channels()
        cls.manager.shutdown_kernel(now=True)

    def execute(self, client, code):
        text = []
        reply = client.execute_interactive(code, timeout=60, output_hook=lambda m: text.append(m["content"].get("text", "")))
        self.assertEqual(reply["content"]["status"], "ok", reply["content"])
        return "".join(text)

    def test_same_identity_reconnects(self):
        for i in range(40):
            other = self.manager.client(session=self.client.session)
            other.start_channels()
            other.wait_for_ready(timeout=30)
            other.stop_channels()

    def test_reader_that_stopped(self):
        import zmq
        stuck = zmq.Context().socket(zmq.SUB)
        stuck.setsockopt(zmq.SUBSCRIBE, b"")
        stuck.setsockopt(zmq.RCVHWM, 1)
        stuck.connect(f"tcp://127.0.0.1:{self.manager.iopub_port}")
        time.sleep(0.2)
        text = self.execute(self.client, 'import ("fmt"; "strings")\nfor i := 0; i < 2000; i++ { fmt.Println(strings.Repeat("x", 5000)) }')
        self.assertEqual(text.count("\n"), 2000)
        stuck.close(0)

    def test_heartbeat(self):
        time.sleep(1.5)
        self.assertTrue(self.client.hb_channel.is_beating())

    def test_restart(self):
        manager, client = start_new_kernel(kernel_name="nacre")
        self.execute(client, "x := 1")
        manager.restart_kernel(now=False)
        client.wait_for_ready(timeout=60)
        self.assertEqual(client.execute_interactive("x", timeout=30)["content"]["status"], "error")
        client.stop_channels()
        manager.shutdown_kernel()
        self.assertFalse(manager.is_alive())


def serve(*command, until, env=None):
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **(env or {})})
    lines = []
    for line in process.stdout:
        lines.append(line)
        found = re.search(until, line)
        if found:
            # whoever reads no more must not block the writer
            threading.Thread(target=lambda: process.stdout.read(), daemon=True).start()
            return process, found.group(0)
    raise AssertionError("".join(lines))


class JupyterLab(unittest.TestCase):
    """A JupyterLab whose kernels are Nacre's, by --gateway-url."""

    def test_runs_cells(self):
        with tempfile.TemporaryDirectory() as d:
            ours, url = serve(NACRE, "notebook", d, "--port", "0", until=r"http://127\.0\.0\.1:\d+", env={"NACRE_TOKEN": TOKEN})
            self.addCleanup(ours.wait)
            self.addCleanup(ours.terminate)
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            lab, lab_url = serve(
                "jupyter", "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.token=lab", f"--gateway-url={url}", f"--GatewayClient.auth_token={TOKEN}",
                f"--notebook-dir={d}", until=rf"http://127\.0\.0\.1:{port}")
            self.addCleanup(lab.wait)
            self.addCleanup(lab.terminate)

            def rest(method, path, body=None):
                r = urllib.request.Request(lab_url + path, method=method, data=None if body is None else json.dumps(body).encode(), headers={"Authorization": "token lab"})
                with urllib.request.urlopen(r, timeout=60) as f:
                    raw = f.read()
                    return json.loads(raw) if raw else None

            for _ in range(300):  # it says where it is before it is there
                try:
                    rest("GET", "/api/status")
                    break
                except OSError:
                    self.assertIsNone(lab.poll())
                    time.sleep(0.1)
            self.assertEqual(list(rest("GET", "/api/kernelspecs")["kernelspecs"]), ["nacre"])
            session = rest("POST", "/api/sessions", {"path": "x.ipynb", "name": "x", "type": "notebook", "kernel": {"name": "nacre"}})
            kernel = session["kernel"]["id"]
            import tornado.ioloop, tornado.websocket, tornado.httpclient

            async def talk():
                request = tornado.httpclient.HTTPRequest(lab_url.replace("http", "ws") + f"/api/kernels/{kernel}/channels?session_id=s", headers={"Authorization": "token lab"})
                ws = await tornado.websocket.websocket_connect(request)

                async def execute(code):
                    header = {"msg_id": os.urandom(8).hex(), "msg_type": "execute_request", "username": "", "session": "s", "date": "", "version": "5.3"}
                    await ws.write_message(json.dumps({"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": {"code": code, "silent": False}, "buffers": []}))
                    text, state = "", ""
                    while True:
                        m = json.loads(await ws.read_message())
                        if m["parent_header"].get("msg_id") != header["msg_id"]:
                            continue
                        if m["msg_type"] == "stream":
                            text += m["content"]["text"]
                        if m["msg_type"] == "execute_result":
                            text += m["content"]["data"]["text/plain"]
                        if m["msg_type"] == "error":
                            state = m["content"]["ename"]
                        if m["msg_type"] == "status" and m["content"]["execution_state"] == "idle":
                            return text, state

                self.assertEqual(await execute('import "fmt"\nfmt.Println("lab")\n40+2'), ("lab\n42", ""))
                loop = tornado.ioloop.IOLoop.current()
                loop.call_later(1, lambda: loop.run_in_executor(None, rest, "POST", f"/api/kernels/{kernel}/interrupt", {}))
                self.assertEqual((await execute("for {}"))[1], "Interrupted")
                await loop.run_in_executor(None, rest, "POST", f"/api/kernels/{kernel}/restart", {})
                self.assertEqual((await execute("1"))[0], "1")
                ws.close()

            tornado.ioloop.IOLoop.current().run_sync(talk, timeout=120)
            rest("DELETE", f"/api/sessions/{session['id']}")


if __name__ == "__main__":
    unittest.main()
