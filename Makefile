# Needs Python 3.11 or newer and make, nothing else. Everything is installed into .venv, pinned by constraints.txt.
#
#   make demo    installs the tool, checks the sample games with it, converts one, makes tables, a report, and asks
#   make test    all that must hold: style, types, tests, coverage of the rulebook and the replay
#   make docs    builds the site of the guides into build/site, and checks its links
#   make format  puts the sources into the form that "make test" asks for
#   make notebook  opens Jupyter with the notebooks; options for it as in JUPYTER="--no-browser --port 9999"
#   make clean   removes what the others made

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Logs that are in order, loose ones first. Records of the same games are checked apart: they have the same ids.
LOOSE  := $(sort $(wildcard sample_logs/*.tch))
GOOD   := $(LOOSE) $(sort $(wildcard sample_logs/*.zip))
SHOWN  := $(firstword $(LOOSE))
MADE   := build/demo

.PHONY: demo test lint types docs cover format notebook clean

demo: $(VENV)/.installed
	@echo "== Simulated games, a dozen loose ones and an archive; none has an error:"
	$(BIN)/tichu check $(GOOD)
	@echo "== The dozen once more, as TGR records:"
	$(BIN)/tichu check sample_logs/tgr
	@echo "== Logs and records in which something is wrong on purpose:"
	$(BIN)/tichu check --exit-zero --quiet sample_logs/faulty
	@echo "== One round for reading:"
	$(BIN)/tichu show $(SHOWN) --round 1
	@mkdir -p $(MADE)
	$(BIN)/tichu show $(SHOWN) --html $(MADE)/game.html
	@echo "== A log as a TGR record, and back to the same bytes:"
	$(BIN)/tichu convert $(SHOWN) $(MADE)/record.tgr.json
	$(BIN)/tichu convert $(MADE)/record.tgr.json $(MADE)/log.tch
	cmp $(SHOWN) $(MADE)/log.tch
	@echo "== All these games as tables, and a question to them: how did calls end, by what the caller held?"
	$(BIN)/tichu export $(GOOD) --out $(MADE)/data
	$(BIN)/tichu query $(MADE)/data "select call, count_rank(held, 'A') as aces, count(*) as calls, \
	    count(*) filter (call_success) as made from hands where call <> 'none' group by all order by all"
	@echo "== And with intervals: how often does a call succeed, by the best call of the opponents?"
	$(BIN)/tichu stats $(MADE)/data --measures tichu.success_rate,grand.success_rate --by opponent_call
	@echo "== All of it as a page with figures, docs/sample_report.html:"
	$(BIN)/tichu report $(MADE)/data --out docs/sample_report.html --force

test: lint types docs cover

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

# Every warning is an error, but not with --quiet: then MkDocs counts none. (The variable silences a notice of the theme's
# makers about the end of its line.)
docs: $(VENV)/.installed-test
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "== The guides: build/site/index.html"

# The two reports are separate so that neither package can make up for the other.
cover: $(VENV)/.installed-test
	rm -f .coverage .coverage.*
	$(BIN)/pytest -n 2 --cov --cov-report=
	$(BIN)/coverage report --include='*/tichu_analytics/rules/*' --fail-under=95
	$(BIN)/coverage report --include='*/tichu_analytics/replay/*' --fail-under=95

format: $(VENV)/.installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Jupyter leaves the players in saved outputs out until a notebook is trusted, which these are: they are tested.
notebook: $(VENV)/.installed-notebook
	$(BIN)/jupyter trust --log-level=ERROR notebooks/*.ipynb
	$(BIN)/jupyter lab $(JUPYTER) notebooks

clean:
	rm -rf $(VENV) build notebooks/.ipynb_checkpoints *.egg-info .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache

# The stamps spare a second installation as long as what is to be installed stays the same. The build backend is
# installed first and used as it is (no build isolation), since an isolated build would fetch an unpinned one. Modules of
# an editable installation are compiled as pip does it with all others: not every system lets Python keep them later.
$(VENV)/.backend: constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --constraint constraints.txt setuptools wheel
	touch $@

$(VENV)/.installed: $(VENV)/.backend pyproject.toml
	$(PIP) install --constraint constraints.txt --no-build-isolation --editable '.[fast]'
	$(BIN)/python -m compileall -q tichu_analytics cli/tichu_cli
	touch $@

$(VENV)/.installed-test: $(VENV)/.backend pyproject.toml
	$(PIP) install --constraint constraints.txt --no-build-isolation --editable '.[fast,test,docs]'
	$(BIN)/python -m compileall -q tichu_analytics cli/tichu_cli
	touch $@ $(VENV)/.installed

# The extra is added to whatever is there: the stamps of the others stay as they are.
$(VENV)/.installed-notebook: $(VENV)/.backend pyproject.toml
	$(PIP) install --constraint constraints.txt --no-build-isolation --editable '.[fast,notebook]'
	$(BIN)/python -m compileall -q tichu_analytics cli/tichu_cli
	touch $@ $(VENV)/.installed
