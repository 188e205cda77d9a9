"""The notebook server in JupyterLab's launcher, by jupyter-server-proxy, which finds this by an entry point."""

import secrets
import sys


def proxy():
    """How jupyter-server-proxy starts and shows the server.

    Everybody whom Jupyter lets in gets the token: it stands in the address of the launcher's tile.
    """
    token = secrets.token_hex(24)
    return {
        "command": [sys.executable, "-m", "nacre_rl", "notebook", "--port", "{port}", "--base-path", "{base_url}nacre/",
                    "--allow-host", "*"],
        "environment": {"NACRE_TOKEN": token},
        "absolute_url": True,  # the program answers under the whole path
        "timeout": 60,
        "new_browser_tab": True,
        "launcher_entry": {"title": "Nacre", "path_info": "nacre/?token=" + token},
    }
