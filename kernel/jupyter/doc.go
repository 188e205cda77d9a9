// Package jupyter puts Jupyter's messages around a kernel.Session. It speaks protocol 5.5,
// https://jupyter-client.readthedocs.io. A Kernel takes requests and sends replies and outputs. It does not know the
// transport of its messages. This package has frames for WebSockets (EncodeV1, EncodeLegacy) and a stream of frames
// over a pipe (ServePipe). Package zmq carries messages over ZeroMQ, and a browser worker over postMessage. Client is
// the other side, for programs that run cells. Below, k and c are connected without any transport:
//
//	var c *jupyter.Client
//	k := jupyter.NewKernel(session, func(m *jupyter.Message) { c.Deliver(m) })
//	defer k.Close()
//	c = jupyter.NewClient(func(m *jupyter.Message) error { k.Handle(m); return nil })
//	reply, err := c.Execute(ctx, jupyter.ExecuteRequest{Code: "1 + 1"}, func(m *jupyter.Message) {
//		fmt.Println(m.Type(), string(m.Content))
//	})
package jupyter
