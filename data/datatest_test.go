package data_test

import (
	"warren/data"
	"warren/data/datatest"
)

func init() { data.SetRandom(datatest.Record, datatest.Records) }
