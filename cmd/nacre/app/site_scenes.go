package app

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"

	"nacre/sim"
	"nacre/sim/metaworld"
	"nacre/sim/metaworld/bundle"
)

// sceneList is the list of scenes, in the folder of the files that make them.
const sceneList = "scenes/scenes.json"

// scenes copies the packed files of Meta-World's scenes, and the list from which a page learns which files a scene
// needs (web/src/worker/scenes.ts). If this machine does not have the files, the ML1 families do not run on the site.
func (s *site) scenes(env *Env) error {
	scenes, err := bundle.New()
	if errors.Is(err, sim.ErrUnavailable) {
		env.Notice(fmt.Sprintf("the site has no ML1 families: %v", err))
		return nil
	}
	if err != nil {
		return err
	}
	list := struct {
		Source string              `json:"source"`
		Bytes  map[string]int      `json:"bytes"` // packed bytes of every file
		Scenes map[string][]string `json:"scenes"`
	}{metaworld.Origin, map[string]int{}, scenes.Scenes}
	for _, files := range scenes.Scenes {
		for _, file := range files {
			if list.Bytes[file] > 0 {
				continue
			}
			data, err := scenes.Read(file)
			if err != nil {
				return fmt.Errorf("the scenes of Meta-World: %w", err)
			}
			packed, err := packed(data)
			if err != nil {
				return err
			}
			list.Bytes[file] = len(packed)
			if err := s.write("scenes/"+file+".gz", packed); err != nil {
				return err
			}
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	s.about.Scenes = new(sceneList)
	return s.write(sceneList, text)
}

// packed returns data as a gzip file. Equal data give equal files.
func packed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}
