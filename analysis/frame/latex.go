package frame

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// LaTeX is the frame as a table for LaTeX with the package booktabs. Decimal points stand below each other. The frame's
// notes are comments. A missing number is a dash. The table compiles with pdfLaTeX whatever letters it has. If pdfLaTeX
// has no font for a letter, the letter's number is printed, and a comment names the letter.
//
//	fmt.Print(runs.Returns().Group("algorithm").Mean("return").LaTeX())
func (f *Frame) LaTeX(options ...PrintOption) (string, error) {
	columns, p, err := f.print(options)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, n := range f.notes {
		b.WriteString("% " + strings.Join(strings.Fields(n), " ") + "\n")
	}
	b.WriteString(needs(columns, p.caption))
	if p.caption != "" {
		fmt.Fprintf(&b, "\\begin{table}\n\\centering\n\\caption{%s}\n", latex(p.caption))
	}
	b.WriteString("\\begin{tabular}{")
	for _, c := range columns {
		if !c.number {
			b.WriteString("l")
			continue
		}
		b.WriteString("r" + strings.Repeat("@{ }r", c.parts-1))
	}
	b.WriteString("}\n\\toprule\n" + heads(columns) + "\\midrule\n")
	for i := range f.rows {
		var line []string
		for _, c := range columns {
			for k, part := range c.rows[i] {
				if k == 0 && part == "" && c.number {
					part = "–"
				}
				line = append(line, latex(part))
			}
		}
		b.WriteString(row(line))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	if p.caption != "" {
		b.WriteString("\\end{table}\n")
	}
	return b.String(), nil
}

// heads is the line of column names.
func heads(columns []cells) string {
	var line []string
	for _, c := range columns {
		head := latex(c.name)
		if c.number {
			side := "r"
			if c.parts > 1 {
				side = "c"
			}
			head = fmt.Sprintf("\\multicolumn{%d}{%s}{%s}", c.parts, side, head)
		}
		line = append(line, head)
	}
	return row(line)
}

// row is a line of a table. A line that begins with [ or * would be an argument of the command before it.
func row(line []string) string {
	text := strings.TrimRight(strings.Join(line, " & "), " ")
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*") {
		text = "{}" + text
	}
	return text + " \\\\\n"
}

// needs says in comments what a document with the table needs, and defines what LaTeX lacks for letters of the table.
func needs(columns []cells, caption string) string {
	texts := []string{caption}
	for _, c := range columns {
		texts = append(texts, c.name)
		for _, row := range c.rows {
			texts = append(texts, row...)
		}
	}
	var hooked, foreign []string
	for _, r := range norm.NFC.String(strings.Join(texts, "")) {
		name := fmt.Sprintf("%c (%s)", r, number(r))
		switch {
		case strings.ContainsRune(inT1, r) && !slices.Contains(hooked, string(r)):
			hooked = append(hooked, string(r))
		case isForeign(r) && !slices.Contains(foreign, name):
			foreign = append(foreign, name)
		}
	}
	text := "% needs \\usepackage{booktabs}\n"
	if hooked != nil {
		text += "% needs \\usepackage[T1]{fontenc} for " + strings.Join(hooked, " ") + "\n"
	}
	if foreign != nil {
		const most = 12
		if n := len(foreign); n > most {
			foreign = append(foreign[:most], fmt.Sprintf("and %d more", n-most))
		}
		text += "% pdfLaTeX has no font for " + strings.Join(foreign, ", ") + " and prints the numbers;\n" +
			"% LuaLaTeX and XeLaTeX print the letters, with a font that has them\n" +
			"\\providecommand{\\otherletter}[2]{\\ifdefined\\Umathcode#1\\else[#2]\\fi}\n"
	}
	return text
}

// number is how Unicode names a letter.
func number(r rune) string { return fmt.Sprintf("U+%04X", r) }

// latex escapes text for LaTeX. Signs of mathematics that its fonts lack as text become formulas, signs that cannot be
// seen are left out.
func latex(text string) string {
	var b strings.Builder
	var last rune
	for _, r := range norm.NFC.String(text) {
		if r == last && strings.ContainsRune("-'`,", r) { // two of them would be one other sign
			b.WriteString("{}")
		}
		last = r
		switch {
		case strings.ContainsRune(`&%$#_{}`, r):
			b.WriteString(`\` + string(r))
		case inLaTeX[r] != "":
			b.WriteString(inLaTeX[r])
		case unicode.IsSpace(r) && r != '\u00A0' || r < ' ':
			b.WriteByte(' ')
		case unseen(r):
		case isForeign(r):
			fmt.Fprintf(&b, "\\otherletter{%c}{%s}", r, number(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unseen reports whether a sign only steers how others are set.
func unseen(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) && r != '\u00AD' }

// isForeign reports whether pdfLaTeX stops at a letter.
func isForeign(r rune) bool {
	return r >= 0x7F && inLaTeX[r] == "" && !unseen(r) && !unicode.IsSpace(r) && !strings.ContainsRune(inOT1+inT1, r)
}

// Letters beyond ASCII that LaTeX sets without a package, and those that it sets in the font encoding T1. A test sets
// each of them.
const (
	inOT1 = "¡¢£¤¥¦§¨©ª¬\u00AD®¯°±´µ¶¸¹º¼½¾¿ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïñòóôõö÷øùúûüýÿ" +
		"ĀāĂăĆćĈĉĊċČčĎďĒēĔĕĖėĚěĜĝĞğĠġĢģĤĥĨĩĪīĬĭİıĲĳĴĵĶķĹĺĻļĽľŁłŃńŅņŇňŌōŎŏŐőŒœŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŨũŪūŬŭŮůŰűŴŵŶŷŸŹźŻżŽžƒ" +
		"ǍǎǏǐǑǒǓǔǢǣǦǧǨǩǰǴǵȘșȚțȲȳȷ‐‑‒―‖‘’“”†‡•‰‱※⁄₡₤₦₩₫€₱℃№℗℞℠™℧℮"
	inT1 = "«»ÐÞðþĄąĐđĘęĮįŊŋŲųǪǫ‚„‹›"
)

// inLaTeX are commands for signs that LaTeX does not take as text.
var inLaTeX = map[rune]string{
	'\\': `\textbackslash{}`, '~': `\textasciitilde{}`, '^': `\textasciicircum{}`, '<': `\textless{}`,
	'>': `\textgreater{}`, '|': `\textbar{}`, '"': `\char34{}`, '`': `\textasciigrave{}`, '−': `$-$`, '±': `$\pm$`,
	'–': `--`, '—': `---`, '…': `\dots{}`, '×': `$\times$`, '·': `$\cdot$`, '≤': `$\leq$`, '≥': `$\geq$`, '≠': `$\neq$`,
	'≈': `$\approx$`, '∼': `$\sim$`, '∝': `$\propto$`, '∞': `$\infty$`, '√': `$\surd$`, '∂': `$\partial$`,
	'∇': `$\nabla$`, '∑': `$\sum$`, '∏': `$\prod$`, '∈': `$\in$`, '∉': `$\notin$`, '∅': `$\emptyset$`, '∪': `$\cup$`,
	'∩': `$\cap$`, '←': `$\leftarrow$`, '→': `$\to$`, '↑': `$\uparrow$`, '↓': `$\downarrow$`,
	'↔': `$\leftrightarrow$`, '⇒': `$\Rightarrow$`, '′': `$'$`, '″': `$''$`, 'ℓ': `$\ell$`, '⟨': `$\langle$`,
	'⟩': `$\rangle$`, '∥': `$\parallel$`, '⁰': `$^0$`, '²': `$^2$`, '³': `$^3$`, '⁴': `$^4$`, '⁵': `$^5$`, '⁶': `$^6$`,
	'⁷': `$^7$`, '⁸': `$^8$`, '⁹': `$^9$`, '⁻': `$^-$`, '₀': `$_0$`, '₁': `$_1$`, '₂': `$_2$`, '₃': `$_3$`, '₄': `$_4$`,
	'₅': `$_5$`, '₆': `$_6$`, '₇': `$_7$`, '₈': `$_8$`, '₉': `$_9$`, 'α': `$\alpha$`, 'β': `$\beta$`, 'γ': `$\gamma$`,
	'δ': `$\delta$`, 'ε': `$\varepsilon$`, 'ζ': `$\zeta$`, 'η': `$\eta$`, 'θ': `$\theta$`, 'ι': `$\iota$`,
	'κ': `$\kappa$`, 'λ': `$\lambda$`, 'μ': `$\mu$`, 'ν': `$\nu$`, 'ξ': `$\xi$`, 'π': `$\pi$`, 'ρ': `$\rho$`,
	'σ': `$\sigma$`, 'τ': `$\tau$`, 'υ': `$\upsilon$`, 'φ': `$\varphi$`, 'χ': `$\chi$`, 'ψ': `$\psi$`, 'ω': `$\omega$`,
	'Γ': `$\Gamma$`, 'Δ': `$\Delta$`, 'Θ': `$\Theta$`, 'Λ': `$\Lambda$`, 'Ξ': `$\Xi$`, 'Π': `$\Pi$`, 'Σ': `$\Sigma$`,
	'Φ': `$\Phi$`, 'Ψ': `$\Psi$`, 'Ω': `$\Omega$`,
}
