module nacre/bench/tsne/gopeer

go 1.26.0

require (
	github.com/danaugrs/go-tsne v0.0.0-20200708172100-6b7d1d577fd3
	gonum.org/v1/gonum v0.17.0
)
