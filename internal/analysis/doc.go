// Package analysis answers questions about positions, one line of JSON each, as KataGo's analysis engine
// does for Go (https://github.com/lightvector/KataGo/blob/master/docs/Analysis_Engine.md). Many positions
// are searched at once, so that their evaluations share batches; each is searched as if it were alone.
// docs/reference/analysis.md describes the fields.
package analysis
