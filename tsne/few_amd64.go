package tsne

// Up to this many points vector units make all pairs the quickest, however few lanes they have.
const (
	fewPoints   = 2500
	methodOfFew = MethodExact
)
