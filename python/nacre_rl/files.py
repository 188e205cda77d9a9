"""The files of a run folder, or of an archive of one: TOML, and safetensors with NumPy alone."""

import io
import json
import os
import zipfile
import zlib

import numpy as np


class NacreError(Exception):
    """Something is wrong with a file, a folder or an argument. The message names it and says what was expected."""


def read(folder, name, missing=""):
    """The bytes of a run's file. If there is none, the error message ends with the text `missing`.

    The path `folder` may lead through an archive.
    """
    path = os.path.join(folder, name)
    archive, within = split(path)
    try:
        if archive:
            with open(archive, "rb") as f, zipfile.ZipFile(io.BytesIO(f.read())) as z:
                return z.read(within)
        with open(path, "rb") as f:
            return f.read()
    except KeyError:
        raise NacreError("%s has no %s%s" % (folder, name, missing)) from None
    except FileNotFoundError:
        if not os.path.isdir(folder):
            raise NacreError("run folder %s does not exist" % folder) from None
        raise NacreError("%s has no %s%s" % (folder, name, missing)) from None
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error) as e:
        raise NacreError("%s cannot be read: %s" % (path, e)) from None


def has(folder, name):
    """Whether a run has a file."""
    archive, within = split(os.path.join(folder, name))
    if not archive:
        return os.path.isfile(within)
    try:
        with zipfile.ZipFile(archive) as z:
            return within in z.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def split(path):
    """The .zip file that a path leads through, and the path within it. None and the path, if there is none."""
    parts = path.replace(os.sep, "/").split("/")
    for i in range(1, len(parts) + 1):
        archive = "/".join(parts[:i])
        if archive.lower().endswith(".zip") and os.path.isfile(archive):
            return archive, "/".join(p for p in parts[i:] if p not in ("", "."))
    return None, path


def folder(path):
    """The run folder that a path means: an archive of one run stands for the run."""
    archive, within = split(path)
    if archive and not within:
        try:
            with zipfile.ZipFile(archive) as z:
                runs = [os.path.dirname(n) for n in z.namelist() if n.split("/")[-1] == "config.toml"]
        except (OSError, zipfile.BadZipFile) as e:
            raise NacreError("%s is no .zip file: %s" % (path, e)) from None
        if "" in runs:
            return path
        if len(runs) != 1:
            raise NacreError("%s holds %d runs; expected one: name one of them%s"
                             % (path, len(runs), ", such as %s/%s" % (path, min(runs)) if runs else ""))
        return path + "/" + runs[0]
    if not archive and os.path.isfile(path):
        raise NacreError("%s is a file; expected a run folder, or an archive that ends in .zip" % path)
    return path


def toml(text, path):
    """What a TOML file holds."""
    try:
        import tomllib
    except ImportError:  # before Python 3.11
        try:
            import tomli as tomllib
        except ImportError:
            raise NacreError("%s is TOML, which Python reads since 3.11: install tomli" % path) from None
    try:
        return tomllib.loads(text.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError) as e:
        raise NacreError("%s is no TOML: %s" % (path, e)) from None


def config(folder):
    """What config.toml says."""
    text = read(folder, "config.toml", ": it is not a run folder")
    return toml(text, os.path.join(folder, "config.toml"))


def json_of(folder, name, missing):
    """What a JSON file of a run holds."""
    text = read(folder, name, missing)
    try:
        return json.loads(text)
    except ValueError as e:
        raise NacreError("%s is no JSON: %s" % (os.path.join(folder, name), e)) from None


def tasks(folder):
    """The tasks' numbers, as Run.tasks."""
    of = json_of(folder, "tasks.json", ": the run has not begun")
    return {part: np.array([t.get("params") or [] for t in of[part]], float).reshape(len(of[part]), -1)
            for part in ("train", "test")}


TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1", "U64": "<u8",
         "U32": "<u4", "U16": "<u2", "U8": "u1", "BOOL": "?"}


def safetensors(data, path):
    """Tensors by name, and the metadata, of a file's bytes."""
    try:
        if len(data) < 8:
            raise ValueError("it has %d bytes" % len(data))
        size = int.from_bytes(data[:8], "little")
        if size > len(data) - 8:
            raise ValueError("its header of %d bytes does not fit in a file of %d" % (size, len(data)))
        header, body = json.loads(data[8:8 + size]), memoryview(data)[8 + size:]
        metadata = header.pop("__metadata__", {})
        tensors, covered = {}, 0
        for name, t in header.items():
            begin, end = t["data_offsets"]
            shape, dtype = tuple(t["shape"]), t["dtype"]
            if dtype not in TYPES and dtype != "BF16":
                raise ValueError("tensor %s has the type %s" % (name, dtype))
            width = 2 if dtype == "BF16" else np.dtype(TYPES[dtype]).itemsize
            count = int(np.prod(shape, dtype=np.int64))
            if not 0 <= begin <= end <= len(body) or end - begin != count * width:
                raise ValueError("tensor %s does not fit in it" % name)
            covered += end - begin
            if dtype == "BF16":  # the upper half of a float32
                x = (np.frombuffer(body[begin:end], "<u2").astype("<u4") << 16).view("<f4")
            else:
                x = np.frombuffer(body[begin:end], TYPES[dtype])
            tensors[name] = x.reshape(shape)
        if covered != len(body):
            raise ValueError("its tensors cover %d of %d bytes" % (covered, len(body)))
        return tensors, metadata
    except (ValueError, KeyError, TypeError, AttributeError) as e:
        raise NacreError("%s is no whole file of weights: %s" % (path, e)) from None
