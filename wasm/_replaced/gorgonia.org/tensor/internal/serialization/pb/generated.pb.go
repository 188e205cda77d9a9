package pb

import "errors"

var errAbsent = errors.New("protocol buffers are not part of the kernel in the browser; GobEncode and WriteNpy are")

// Marshal reports that there are no protocol buffers here.
func (m *Dense) Marshal() ([]byte, error) { return nil, errAbsent }

// Unmarshal reports that there are no protocol buffers here.
func (m *Dense) Unmarshal([]byte) error { return errAbsent }
