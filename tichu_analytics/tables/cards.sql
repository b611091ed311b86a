-- Functions on cards for questions in SQL: macros for DuckDB 1.3 or later, without any extension.
--
-- Read them into any connection, in DuckDB's shell with  .read cards.sql  and elsewhere by executing this text.
-- A set of cards is a BIGINT mask: bit 4*r+s for rank r (0 = two .. 12 = ace) and suit s (0 sword S, 1 pagoda B,
-- 2 jade G, 3 star R); Mah Jong 52, Dog 53, Phoenix 54, Dragon 55. Ranks as numbers: Dog 0, Mah Jong 1, 2..10, jack 11,
-- queen 12, king 13, ace 14, Dragon 15; a single Phoenix is half above what it covers. Null in gives null out.
--
--   cards('S5 G5 Ph')     the mask of a text; jack and queen as J and Q or B and D, the Dog as Do or Hu
--   has(mask, 'Dr')       whether all of these cards are in the mask
--   count_rank(mask, 'A') how many cards of a rank: '2'..'10', 'J', 'Q', 'K', 'A', 'Ma', 'Do', 'Ph', 'Dr', or its number
--   bombs(mask)           number of fours of a kind and of straight flushes; a run of five or more in a suit counts once
--   four_bombs(mask), straight_bombs(mask)  the two kinds of bombs each for itself
--   card_text(mask)       the cards from high to low
--   card_name(bit)        a single card by its bit number
--   rank_name(rank)       a rank by its number
--
-- The macros whose names begin with tichu_ are parts of the others. The parameters of lambdas have long names because
-- they would hide a column of the same name in an argument. What is constant is computed once: error() is kept outside
-- of everything else, since DuckDB folds no expression that it stands in.

-- The words of a text, separated by anything that is blank.
CREATE OR REPLACE MACRO tichu_words(typed) AS
    list_filter(
        string_split_regex(
            CAST(typed AS VARCHAR),
            '[\t\n\x0b\f\r\x1c-\x1f \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}]+'),
        lambda tichu_word: tichu_word <> '');

-- The codes of the cards by bit, then the other spellings.
CREATE OR REPLACE MACRO tichu_codes() AS string_split(
    'S2 B2 G2 R2 S3 B3 G3 R3 S4 B4 G4 R4 S5 B5 G5 R5 S6 B6 G6 R6 S7 B7 G7 R7 S8 B8 G8 R8 S9 B9 G9 R9 '
    || 'S10 B10 G10 R10 SJ BJ GJ RJ SQ BQ GQ RQ SK BK GK RK SA BA GA RA Ma Do Ph Dr '
    || 'SB BB GB RB SD BD GD RD Hu', ' ');

-- The bits of the words, null for a word that is no card. Spellings 57 to 64 are those of bits 36 to 43, the last is 53.
CREATE OR REPLACE MACRO tichu_bits(typed) AS
    list_transform(
        list_transform(tichu_words(typed), lambda tichu_word: list_position(tichu_codes(), tichu_word)),
        lambda tichu_place:
            CASE WHEN tichu_place <= 56 THEN tichu_place - 1
                 WHEN tichu_place <= 64 THEN tichu_place - 21
                 WHEN tichu_place = 65 THEN 53 END);

-- Whether every word is a card and none stands twice; nulls are left out of what is distinct.
CREATE OR REPLACE MACRO tichu_fine(bits) AS (len(list_distinct(bits)) = len(bits));

-- The number of the first word that is no card or a card that stands before already.
CREATE OR REPLACE MACRO tichu_slip(bits) AS
    list_filter(
        range(1, len(bits) + 1),
        lambda tichu_index:
            bits[tichu_index] IS NULL OR list_position(bits, bits[tichu_index]) < tichu_index)[1];

-- A text in quotation marks.
CREATE OR REPLACE MACRO tichu_quoted(said) AS
    CASE WHEN contains(said, '''') AND NOT contains(said, '"') THEN '"' || replace(said, '\', '\\') || '"'
         ELSE '''' || replace(replace(said, '\', '\\'), '''', '\''') || '''' END;

CREATE OR REPLACE MACRO cards(typed) AS
    CASE WHEN typed IS NULL THEN CAST(NULL AS BIGINT)
         WHEN tichu_fine(tichu_bits(typed))
         THEN CAST(coalesce(
             list_sum(list_transform(tichu_bits(typed), lambda tichu_bit: CAST(1 AS BIGINT) << tichu_bit)),
             0) AS BIGINT)
         WHEN tichu_bits(typed)[tichu_slip(tichu_bits(typed))] IS NULL
         THEN error(tichu_quoted(tichu_words(typed)[tichu_slip(tichu_bits(typed))])
             || ' is no card; a card is written like S5, RQ or Ph')
         ELSE error(tichu_words(typed)[tichu_slip(tichu_bits(typed))] || ' stands twice') END;

CREATE OR REPLACE MACRO has(mask, typed) AS
    ((CAST(mask AS BIGINT) & cards(typed)) = cards(typed));

-- Four bits in a row from a multiple of 4 on are a four of a kind. Every fourth bit belongs to one suit; shifted by
-- 4, 8, 12 and 16, what is left is where five in a row begin, and a longer run leaves several neighbours of which the
-- one without a next is counted.
CREATE OR REPLACE MACRO tichu_fives(suited) AS
    (suited & (suited >> 4) & (suited >> 8) & (suited >> 12) & (suited >> 16));
CREATE OR REPLACE MACRO tichu_four_bombs(suited) AS
    CAST(bit_count(suited & (suited >> 1) & (suited >> 2) & (suited >> 3) & 300239975158033) AS INTEGER);
CREATE OR REPLACE MACRO tichu_straight_bombs(suited) AS
    CAST(bit_count(tichu_fives(suited) & ~(tichu_fives(suited) >> 4)) AS INTEGER);
CREATE OR REPLACE MACRO four_bombs(mask) AS
    tichu_four_bombs((CAST(mask AS BIGINT) & 4503599627370495));
CREATE OR REPLACE MACRO straight_bombs(mask) AS
    tichu_straight_bombs((CAST(mask AS BIGINT) & 4503599627370495));
CREATE OR REPLACE MACRO bombs(mask) AS
    (four_bombs(mask) + straight_bombs(mask));

-- The number of a rank given as text or number, 16 for the Phoenix; -1 for what is no rank. A half is the rank of a
-- single Phoenix, which has no rank of its own: null, as in the table of exchanges.
CREATE OR REPLACE MACRO tichu_rank(rank) AS
    CASE WHEN rank IS NULL THEN NULL
         WHEN typeof(rank) = 'VARCHAR' THEN
             CASE CAST(rank AS VARCHAR)
                 WHEN 'Do' THEN 0 WHEN 'Hu' THEN 0 WHEN 'Ma' THEN 1 WHEN '2' THEN 2 WHEN '3' THEN 3 WHEN '4' THEN 4
                 WHEN '5' THEN 5 WHEN '6' THEN 6 WHEN '7' THEN 7 WHEN '8' THEN 8 WHEN '9' THEN 9 WHEN '10' THEN 10
                 WHEN 'J' THEN 11 WHEN 'B' THEN 11 WHEN 'Q' THEN 12 WHEN 'D' THEN 12 WHEN 'K' THEN 13 WHEN 'A' THEN 14
                 WHEN 'Dr' THEN 15 WHEN 'Ph' THEN 16 ELSE -1 END
         ELSE
             CASE WHEN TRY_CAST(rank AS DOUBLE) NOT BETWEEN 0 AND 15 OR TRY_CAST(rank AS DOUBLE) IS NULL THEN -1
                  WHEN TRY_CAST(rank AS DOUBLE) = floor(TRY_CAST(rank AS DOUBLE)) THEN TRY_CAST(rank AS TINYINT)
                  WHEN TRY_CAST(rank AS DOUBLE) > 1
                      AND TRY_CAST(rank AS DOUBLE) - floor(TRY_CAST(rank AS DOUBLE)) = 0.5 THEN NULL
                  ELSE -1 END END;

CREATE OR REPLACE MACRO tichu_shift(number) AS
    CASE number WHEN 0 THEN 53 WHEN 1 THEN 52 WHEN 15 THEN 55 WHEN 16 THEN 54 ELSE number * 4 - 8 END;

CREATE OR REPLACE MACRO count_rank(mask, rank) AS
    CASE WHEN tichu_rank(rank) BETWEEN 2 AND 14
         THEN CAST(bit_count((CAST(mask AS BIGINT) >> tichu_shift(tichu_rank(rank))) & 15) AS INTEGER)
         WHEN tichu_rank(rank) >= 0
         THEN CAST((CAST(mask AS BIGINT) >> tichu_shift(tichu_rank(rank))) & 1 AS INTEGER)
         WHEN tichu_rank(rank) = -1
         THEN error(tichu_quoted(CAST(rank AS VARCHAR))
             || ' is no rank; a rank is 2 to 10, J, Q, K, A, Ma, Do, Ph or Dr, or a number from 0 to 15') END;

CREATE OR REPLACE MACRO card_name(bit) AS
    CASE WHEN bit BETWEEN 0 AND 55 THEN tichu_codes()[CAST(bit AS INTEGER) + 1]
         WHEN bit IS NOT NULL THEN error(CAST(bit AS VARCHAR) || ' is the number of no card; they are 0 to 55') END;

CREATE OR REPLACE MACRO rank_name(rank) AS
    CASE WHEN rank IS NULL THEN NULL
         WHEN rank BETWEEN 0 AND 15 AND rank = floor(rank)
         THEN ['Do', 'Ma', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K', 'A', 'Dr']
             [CAST(floor(rank) AS INTEGER) + 1]
         WHEN rank BETWEEN 1 AND 15 AND rank - floor(rank) = 0.5
         THEN ['1.5', '2.5', '3.5', '4.5', '5.5', '6.5', '7.5', '8.5', '9.5', '10.5', 'J+½', 'Q+½', 'K+½', 'A+½']
             [CAST(floor(rank) AS INTEGER)]
         ELSE error(CAST(rank AS VARCHAR) || ' is no rank; ranks are 0 to 15, with a half for a single Phoenix') END;

-- The codes from high to low. The mask stands here only once: an argument that is itself a long expression would else
-- be written out for every card.
CREATE OR REPLACE MACRO tichu_high_to_low() AS string_split(
    'Dr Ph RA GA BA SA RK GK BK SK RQ GQ BQ SQ RJ GJ BJ SJ R10 G10 B10 S10 R9 G9 B9 S9 R8 G8 '
    || 'B8 S8 R7 G7 B7 S7 R6 G6 B6 S6 R5 G5 B5 S5 R4 G4 B4 S4 R3 G3 B3 S3 R2 G2 B2 S2 Ma Do', ' ');
CREATE OR REPLACE MACRO card_text(mask) AS
    array_to_string(
        list_filter(
            tichu_high_to_low(),
            lambda tichu_code, tichu_at:
                ((CAST(mask AS BIGINT) >> (
                    CASE tichu_at WHEN 1 THEN 55 WHEN 2 THEN 54 WHEN 55 THEN 52 WHEN 56 THEN 53 ELSE 54 - tichu_at END
                )) & 1) = 1),
        ' ')
    || CASE WHEN mask IS NULL THEN NULL ELSE '' END;
