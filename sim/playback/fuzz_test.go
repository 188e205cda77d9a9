package playback

import (
	"encoding/json"
	"testing"

	"nacre/internal/bounded"
)

// FuzzDocument reads any text as a document; what is read can be written and read again.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{
		"", "{}", `{"format": "nacre-rollout", "version": 1}`,
		`{"format": "nacre-rollout", "version": 1, "episodes": [{}]}`,
		`{"format": "nacre-rollout", "version": 1, "episodes": [{"frames": 4611686018427387904, "moving": [0, 1, 2, 3], "poses": ""}]}`,
		`{"format": "nacre-rollout", "version": 1, "meshes": [{}], "episodes": [{"frames": -1, "moving": [-1]}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		defer bounded.Input(t, len(text))()
		var d Document
		if json.Unmarshal(text, &d) != nil {
			return
		}
		out, err := json.Marshal(&d)
		if err != nil {
			return // a document may hold what cannot be written, such as times that are no numbers
		}
		var again Document
		if err := json.Unmarshal(out, &again); err != nil {
			t.Fatalf("%s was written as %s, which cannot be read: %v", text, out, err)
		}
	})
}

func TestLargeInputs(t *testing.T) {
	bounded.Large(t, func(b []byte) {
		var d Document
		_ = json.Unmarshal(b, &d)
	}, []byte(`{"format": "nacre-rollout", "version": 1, "meshes": [], "episodes": [{"frames": 1, "moving": [0], "poses": ""}]}`))
}
