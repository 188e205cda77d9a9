// Package vgpdf is empty in the browser: plots are written as PNG, SVG, JPEG or TIFF there, and pdf is an unknown
// format.
package vgpdf
