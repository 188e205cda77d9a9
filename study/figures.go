package study

func (r *runner) figures() error { return nil }
