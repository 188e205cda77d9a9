package wire

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestFields(t *testing.T) {
	m := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 300)
	m = protowire.AppendFixed32(protowire.AppendTag(m, 2, protowire.Fixed32Type), 7)
	m = protowire.AppendFixed64(protowire.AppendTag(m, 3, protowire.Fixed64Type), 8)
	m = protowire.AppendString(protowire.AppendTag(m, 4, protowire.BytesType), "abc")
	m = protowire.AppendGroup(protowire.AppendTag(m, 5, protowire.StartGroupType), 5, nil)
	var got []string
	see := func(number protowire.Number, v uint64, content []byte) error {
		got = append(got, fmt.Sprintf("%d:%d%s", number, v, content))
		return nil
	}
	if err := Fields(m, see); err != nil || strings.Join(got, " ") != "1:300 2:7 3:8 4:0abc 5:0" {
		t.Errorf("%v, %v", got, err)
	}
	for n := range m {
		Fields(m[:n], see) // which ends
	}
	if err := Fields(m[:len(m)-3], see); err == nil {
		t.Error("a message that is cut off is read")
	}
	stop := errors.New("stop")
	if err := Fields(m, func(protowire.Number, uint64, []byte) error { return stop }); err != stop {
		t.Error(err)
	}
}
