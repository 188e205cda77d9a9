package measurement

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
)

// MarshalJSON writes the forms that UnmarshalJSON reads.
func (c Cell) MarshalJSON() ([]byte, error) {
	switch {
	case c.Words != "":
		return json.Marshal(c.Words)
	case c.Seeds != nil:
		return json.Marshal(map[string][]float64{"seeds": c.Seeds})
	case c.Ranged:
		return json.Marshal(struct {
			Value float64 `json:"value"`
			Low   float64 `json:"low"`
			High  float64 `json:"high"`
		}{c.Value, c.Low, c.High})
	}
	return json.Marshal(c.Value)
}

// Save writes a measurement as docs/measurements/TOPIC-DATE.json below root and returns the file's path. It refuses a
// measurement that Load would refuse.
func Save(root, topic string, m Measurement) (string, error) {
	if err := m.check(); err != nil {
		return "", err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(m); err != nil {
		return "", err
	}
	path := filepath.Join(root, "docs", "measurements", topic+"-"+m.Date+".json")
	return path, os.WriteFile(path, b.Bytes(), 0o644)
}
