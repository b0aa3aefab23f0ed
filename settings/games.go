package settings

import (
	"fmt"

	"warren/configs"
	"warren/mcts"
	"warren/selfplay"
	"warren/turnsearch"
)

// HashOfGames returns a hash of the settings that have a part in how a game
// goes, for its record. How the games are spread over the machine has none.
func HashOfGames(play selfplay.Config, search mcts.Config, turns turnsearch.Config) (string, error) {
	play.Workers, play.GamesPerWorker = 0, 1
	if play.Unit != turnsearch.Turn {
		turns = turnsearch.Config{}
	}
	hash, err := configs.Hash(struct {
		SelfPlay selfplay.Config   `yaml:"selfplay"`
		Search   mcts.Config       `yaml:"search"`
		Turns    turnsearch.Config `yaml:"turns"`
	}{play, search, turns})
	if err != nil {
		return "", fmt.Errorf("naming the settings of the games: %w", err)
	}
	return hash, nil
}
