// Package liberation offers the Liberation fonts to plots in the browser. Only five of the twelve faces are linked,
// with 0.2 MB of download each. For the others the nearest of the five is shown.
package liberation

import (
	"fmt"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-fonts/liberation/liberationserifbold"
	"codeberg.org/go-fonts/liberation/liberationserifitalic"
	"codeberg.org/go-fonts/liberation/liberationserifregular"
	stdfnt "golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"

	"gonum.org/v1/plot/font"
)

// Collection returns a face for every variant, style and weight.
var Collection = sync.OnceValue(func() font.Collection {
	regular, italic, bold := parse(liberationserifregular.TTF), parse(liberationserifitalic.TTF),
		parse(liberationserifbold.TTF)
	sans, sansBold := parse(liberationsansregular.TTF), parse(liberationsansbold.TTF)
	var all font.Collection
	add := func(variant font.Variant, regular, italic, bold *sfnt.Font) {
		for _, style := range []stdfnt.Style{stdfnt.StyleNormal, stdfnt.StyleItalic} {
			for _, weight := range []stdfnt.Weight{stdfnt.WeightNormal, stdfnt.WeightBold} {
				face := regular
				switch {
				case weight == stdfnt.WeightBold:
					face = bold
				case style == stdfnt.StyleItalic:
					face = italic
				}
				all = append(all, font.Face{Font: font.Font{Typeface: "Liberation", Variant: variant, Style: style,
					Weight: weight}, Face: face})
			}
		}
	}
	add("Serif", regular, italic, bold)
	add("Mono", sans, sans, sansBold)
	add("Sans", sans, sans, sansBold)
	return all
})

func parse(ttf []byte) *sfnt.Font {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic(fmt.Errorf("liberation: %w", err))
	}
	return f
}
