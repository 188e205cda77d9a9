// Package browser tests the front end in a real, headless Chromium against the real server. It has no code of its own
// outside its tests. Where there is no Chromium, or the front end is not built, they are skipped; `make browser` sees
// to both and runs them.
package browser
