package kernel

import "context"

func (s *session) Complete(ctx context.Context, code string, cursor int) Completion {
	return Completion{Start: cursor, End: cursor}
}

func (s *session) Inspect(ctx context.Context, code string, cursor, detail int) Inspection {
	return Inspection{}
}

func (s *session) IsComplete(code string) Completeness { return Completeness{Status: "unknown"} }
