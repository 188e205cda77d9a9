package graph

// CheckSums is for TestCheckSums.
var CheckSums = checkSums
