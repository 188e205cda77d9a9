// Package browser tests the front end in a real, headless Chromium against the real server. It has no code outside its
// tests. If there is no Chromium, or the front end is not built, they are skipped; `make browser` provides both and
// runs them.
package browser
