"""Runs PyTorch behind the line protocol of peer.go: each request is a line of JSON
on standard input, and each answer is a line of JSON on standard output.

Usage: python3 pytorch.py DIR [DEVICE], where DIR contains network.safetensors and
positions.safetensors, and DEVICE is one of PyTorch's, such as cuda:0. Needs only torch
and numpy.

PyTorch can store the channels of an activation first or last. Which layout is
faster depends on the machine and the batch. For every kind of work, both are tried
briefly and the faster one is timed. On a named device, the ways are number formats, as
they are and compiled (torch.compile, where this version has it), with the channels last,
as tensor cores want them.
"""

import json
import os
import sys
import time

import numpy
import torch
import torch.nn.functional as F

LAYOUTS = {"channels first": torch.contiguous_format, "channels last": torch.channels_last}


def read_safetensors(path):
    """Returns the tensors of a safetensors file by name, and its metadata."""
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        data = file.read()
    meta = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32", name
        begin, end = entry["data_offsets"]
        array = numpy.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])
        tensors[name] = torch.from_numpy(array.copy())
    return tensors, meta


class Network(torch.nn.Module):
    """The network of a checkpoint, with the same computation as in package net."""

    def __init__(self, tensors, layout):
        super().__init__()
        self.layout = layout
        self.blocks = 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("blocks."))
        self.names = {}
        for name, tensor in tensors.items():
            if tensor.dim() == 4:  # [3][3][in][out]
                tensor = tensor.permute(3, 2, 0, 1)
            elif name in ("policy.conv.weight", "policy.step.weight", "value.conv.weight"):  # [in][out]
                tensor = tensor.t()[:, :, None, None]
            elif tensor.dim() == 2:
                tensor = tensor.t()
            tensor = tensor.contiguous()
            if tensor.dim() == 4:
                tensor = tensor.to(memory_format=layout)
            self.names[name] = name.replace(".", "_")
            self.register_parameter(self.names[name], torch.nn.Parameter(tensor))

    def weight(self, layer):
        return getattr(self, self.names[layer + ".weight"]), getattr(self, self.names[layer + ".bias"])

    def conv(self, layer, x):
        weight, bias = self.weight(layer)
        return F.conv2d(x, weight, bias, padding=weight.shape[-1] // 2)

    def dense(self, layer, x):
        return F.linear(x, *self.weight(layer))

    def forward(self, planes):
        """Policy logits [batch][263] and value logits [batch] of planes [batch][8][8][planes]."""
        x = planes.permute(0, 3, 1, 2).contiguous(memory_format=self.layout)
        x = F.relu_(self.conv("stem", x))
        for i in range(self.blocks):
            at = "blocks.%d" % i
            h = F.relu_(self.conv(at + ".conv1", x))
            y = self.conv(at + ".conv2", h).add_(x)
            if at + ".pool.weight" in self.names:
                y = y.add_(self.dense(at + ".pool", pool(h))[:, :, None, None])
            x = F.relu_(y)
        h = F.relu_(self.conv("policy.conv", x))
        policy = torch.cat([self.conv("policy.step", h).flatten(1), self.dense("policy.other", pool(h))], 1)
        h = F.relu_(self.conv("value.conv", x)).permute(0, 2, 3, 1).flatten(1)
        return policy, self.dense("value.out", F.relu_(self.dense("value.hidden", h)))[:, 0]


def pool(x):
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


class Trainer:
    """A network with Adam and the losses of package net."""

    def __init__(self, tensors, layout, rate):
        self.network = Network(tensors, layout)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=rate)

    def losses(self, x, legal, target, value):
        logits, outcome = self.network(x)
        chosen = torch.log_softmax(logits.float().masked_fill(~legal, -1e9), 1)
        policy_loss = -(target * chosen).sum(1).mean()
        return policy_loss, F.binary_cross_entropy_with_logits(outcome.float(), value)

    def step(self, batch):
        policy_loss, value_loss = self.losses(*batch)
        self.adam.zero_grad(set_to_none=True)
        (policy_loss + value_loss).backward()
        self.adam.step()
        return policy_loss, value_loss


class Peer:
    """Computes on the processor."""

    def __init__(self, folder):
        self.tensors, _ = read_safetensors(os.path.join(folder, "network.safetensors"))
        data, _ = read_safetensors(os.path.join(folder, "positions.safetensors"))
        self.data = data["x"], data["legal"] > 0, data["policy"], data["value"]
        self.networks = {name: Network(self.tensors, layout) for name, layout in LAYOUTS.items()}
        self.trainers = {}
        self.faster = {}  # the faster layout by kind of work

    def batches(self, size):
        return list(zip(*(tensor.split(size) for tensor in self.data)))

    def timed(self, kind, ways, seconds):
        """Returns the calls per second of the faster way; ways has a function of a counter for each layout."""
        if kind not in self.faster:
            self.faster[kind] = max(ways, key=lambda name: clock(ways[name], min(seconds, 0.3)))
        return clock(ways[self.faster[kind]], seconds)

    def infer(self, batch, threads, seconds):
        torch.set_num_threads(threads)
        batches = self.batches(batch)

        def way(network):
            return lambda i: network(batches[i % len(batches)][0])

        with torch.inference_mode():
            rate = self.timed(("infer", batch, threads), {name: way(n) for name, n in self.networks.items()}, seconds)
        return {"rate": rate * batch}

    def train(self, batch, threads, seconds):
        torch.set_num_threads(threads)
        batches = self.batches(batch)
        if not self.trainers:
            self.trainers = {name: Trainer(self.tensors, layout, 1e-5) for name, layout in LAYOUTS.items()}

        def way(trainer):
            return lambda i: trainer.step(batches[i % len(batches)])

        rate = self.timed(("train", batch, threads), {name: way(t) for name, t in self.trainers.items()}, seconds)
        return {"rate": rate * batch}

    def losses(self, batch, threads, steps):
        """Returns the policy and value losses of the first steps from the weights of the checkpoint."""
        torch.set_num_threads(threads)
        trainer = Trainer(self.tensors, torch.contiguous_format, 1e-4)
        batches = self.batches(batch)
        return {"losses": [[float(l) for l in trainer.step(batches[i % len(batches)])] for i in range(steps)]}

    def outputs(self, batch, threads, path):
        """Writes the policy and the value of every position to a file."""
        torch.set_num_threads(threads)
        with torch.inference_mode():
            out = [self.networks["channels first"](b[0]) for b in self.batches(batch)]
        with open(path, "wb") as file:
            file.write(torch.cat([policy for policy, _ in out]).numpy().astype("<f4").tobytes())
            file.write(torch.cat([torch.sigmoid(value) for _, value in out]).numpy().astype("<f4").tobytes())
        return {}


class Accelerator:
    """Computes on a device, with positions and results that stay there."""

    def __init__(self, folder, device):
        self.device = torch.device(device)
        torch.zeros(1, device=self.device)  # fails here if there is no such device
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
        torch.backends.cudnn.benchmark = True
        self.tensors, _ = read_safetensors(os.path.join(folder, "network.safetensors"))
        data, _ = read_safetensors(os.path.join(folder, "positions.safetensors"))
        data = data["x"], data["legal"] > 0, data["policy"], data["value"]
        self.data = [tensor.to(self.device) for tensor in data]
        self.ways = {}  # by kind of work, the fastest: its name and its function

    def wait(self):
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def network(self, precision):
        network = Network(self.tensors, torch.channels_last).to(self.device)
        return network.to(precision) if precision else network

    def compiled(self, module):
        return torch.compile(module, mode="max-autotune")

    def fastest(self, kind, makers, seconds):
        """Returns the name of the fastest way, and its calls per second. A way that this version or
        device does not have is left out."""
        if kind not in self.ways:
            tried, problem = {}, None
            for name, make in makers.items():
                try:
                    start = time.perf_counter()
                    call = make()
                    tried[name] = clock(call, min(seconds, 0.3), self.wait), call
                    log = "%.0f/s, ready after %.0f s" % (tried[name][0] * kind[1], time.perf_counter() - start)
                except Exception as err:
                    problem, log = err, "%s: %s" % (type(err).__name__, err)
                print("%s, batch %d, %s: %s" % (*kind, name, log), file=sys.stderr, flush=True)
            if not tried:
                raise problem
            name = max(tried, key=lambda name: tried[name][0])
            self.ways[kind] = name, tried[name][1]
        name, call = self.ways[kind]
        return name, clock(call, seconds, self.wait)

    def infer(self, batch, threads, seconds):
        def way(precision, compiled):
            def make():
                network = self.network(precision)
                if compiled:
                    network = self.compiled(network)
                batches = self.data[0].to(precision or torch.float32).split(batch)

                def call(i):
                    with torch.inference_mode():
                        network(batches[i % len(batches)])

                return call

            return make

        name, rate = self.fastest(("infer", batch), {
            "fp32": way(None, False),
            "fp16": way(torch.float16, False),
            "fp16 compiled": way(torch.float16, True),
        }, seconds)
        return {"rate": rate * batch, "way": name}

    def train(self, batch, threads, seconds):
        batches = list(zip(*(tensor.split(batch) for tensor in self.data)))

        def way(mixed, compiled, captured):
            def make():
                trainer = Trainer(self.tensors, torch.channels_last, 1e-5)
                trainer.network.to(self.device)
                cuda = self.device.type == "cuda"
                trainer.adam = torch.optim.Adam(trainer.network.parameters(), lr=1e-5, fused=cuda, capturable=cuda)
                if compiled:
                    trainer.losses = torch.compile(trainer.losses, dynamic=False)

                def step(batch):
                    with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=mixed):
                        trainer.step(batch)

                return self.captured(step, batches) if captured else lambda i: step(batches[i % len(batches)])

            return make

        name, rate = self.fastest(("train", batch), {
            "fp32": way(False, False, False),
            "bf16 compiled": way(True, True, False),
            "bf16 compiled, one CUDA graph": way(True, True, True),
        }, seconds)
        return {"rate": rate * batch, "way": name}

    def captured(self, step, batches):
        """Returns a call for a step that is recorded as one CUDA graph, which reads its batch from the same memory."""
        still = [tensor.clone() for tensor in batches[0]]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                step(still)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step(still)

        def call(i):
            for to, tensor in zip(still, batches[i % len(batches)]):
                to.copy_(tensor)
            graph.replay()

        return call


def clock(call, seconds, wait=lambda: None):
    """Returns the calls per second. Calls may be queued on a device, a few at a time; wait waits for them."""
    for i in range(2):
        call(i)
    wait()
    calls, start = 0, time.perf_counter()
    while True:
        call(calls)
        calls += 1
        if calls % 4 == 0:
            wait()
        if time.perf_counter() - start >= seconds:
            wait()
            return calls / (time.perf_counter() - start)


def main():
    if len(sys.argv) > 2 and sys.argv[2]:
        peer = Accelerator(sys.argv[1], sys.argv[2])
        operations = {"infer": peer.infer, "train": peer.train}
    else:
        peer = Peer(sys.argv[1])
        operations = {"infer": peer.infer, "train": peer.train, "losses": peer.losses, "outputs": peer.outputs}

    def answer(value):
        print(json.dumps(value), flush=True)

    answer({"name": "PyTorch " + torch.__version__})
    for line in sys.stdin:
        try:
            request = json.loads(line)
            answer(operations[request.pop("op")](**request))
        except Exception as err:  # the other side reports any error
            answer({"error": "%s: %s" % (type(err).__name__, str(err).partition("\n")[0])})


if __name__ == "__main__":
    main()
