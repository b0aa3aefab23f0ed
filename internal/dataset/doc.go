// Package dataset writes recorded games as a data set that others can use without this program: two tables, games
// and positions, split into training, validation and test, with a card that describes them.
//
// A table has a file for each split, in Parquet or as compressed JSON lines. The card is README.md, with the head
// in YAML from which the Hugging Face Hub and its library datasets take the licence, the tables and the splits.
//
// The same games give the same bytes, in whatever shards they are. [Games] reads them in the order of their numbers,
// one at a time, and rows are written as they come, so a data set may be much larger than the memory.
package dataset
