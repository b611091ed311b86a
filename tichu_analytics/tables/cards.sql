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
CREATE OR REPLACE MACRO tichu_bombs(suited) AS
    (CAST(bit_count(suited & (suited >> 1) & (suited >> 2) & (suited >> 3) & 300239975158033) AS INTEGER)
     + CAST(bit_count(tichu_fives(suited) & ~(tichu_fives(suited) >> 4)) AS INTEGER));
CREATE OR REPLACE MACRO bombs(mask) AS
    tichu_bombs((CAST(mask AS BIGINT) & 4503599627370495));

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
         THEN ['1.5', '2.5', '3.5', '4.5', '5.5', '6.5', '7.5', '8.5', '9.5', '10+½', 'J+½', 'Q+½', 'K+½', 'A+½']
             [CAST(floor(rank) AS INTEGER)]
         ELSE error(CAST(rank AS VARCHAR) || ' is no rank; ranks are 0 to 15, with a half for a single Phoenix') END;

CREATE OR REPLACE MACRO card_text(mask) AS
    CASE WHEN mask IS NULL THEN NULL ELSE concat_ws(' ',
        CASE WHEN CAST(mask AS BIGINT) & 36028797018963968 <> 0 THEN 'Dr' END,
        CASE WHEN CAST(mask AS BIGINT) & 18014398509481984 <> 0 THEN 'Ph' END,
        CASE WHEN CAST(mask AS BIGINT) & 2251799813685248 <> 0 THEN 'RA' END,
        CASE WHEN CAST(mask AS BIGINT) & 1125899906842624 <> 0 THEN 'GA' END,
        CASE WHEN CAST(mask AS BIGINT) & 562949953421312 <> 0 THEN 'BA' END,
        CASE WHEN CAST(mask AS BIGINT) & 281474976710656 <> 0 THEN 'SA' END,
        CASE WHEN CAST(mask AS BIGINT) & 140737488355328 <> 0 THEN 'RK' END,
        CASE WHEN CAST(mask AS BIGINT) & 70368744177664 <> 0 THEN 'GK' END,
        CASE WHEN CAST(mask AS BIGINT) & 35184372088832 <> 0 THEN 'BK' END,
        CASE WHEN CAST(mask AS BIGINT) & 17592186044416 <> 0 THEN 'SK' END,
        CASE WHEN CAST(mask AS BIGINT) & 8796093022208 <> 0 THEN 'RQ' END,
        CASE WHEN CAST(mask AS BIGINT) & 4398046511104 <> 0 THEN 'GQ' END,
        CASE WHEN CAST(mask AS BIGINT) & 2199023255552 <> 0 THEN 'BQ' END,
        CASE WHEN CAST(mask AS BIGINT) & 1099511627776 <> 0 THEN 'SQ' END,
        CASE WHEN CAST(mask AS BIGINT) & 549755813888 <> 0 THEN 'RJ' END,
        CASE WHEN CAST(mask AS BIGINT) & 274877906944 <> 0 THEN 'GJ' END,
        CASE WHEN CAST(mask AS BIGINT) & 137438953472 <> 0 THEN 'BJ' END,
        CASE WHEN CAST(mask AS BIGINT) & 68719476736 <> 0 THEN 'SJ' END,
        CASE WHEN CAST(mask AS BIGINT) & 34359738368 <> 0 THEN 'R10' END,
        CASE WHEN CAST(mask AS BIGINT) & 17179869184 <> 0 THEN 'G10' END,
        CASE WHEN CAST(mask AS BIGINT) & 8589934592 <> 0 THEN 'B10' END,
        CASE WHEN CAST(mask AS BIGINT) & 4294967296 <> 0 THEN 'S10' END,
        CASE WHEN CAST(mask AS BIGINT) & 2147483648 <> 0 THEN 'R9' END,
        CASE WHEN CAST(mask AS BIGINT) & 1073741824 <> 0 THEN 'G9' END,
        CASE WHEN CAST(mask AS BIGINT) & 536870912 <> 0 THEN 'B9' END,
        CASE WHEN CAST(mask AS BIGINT) & 268435456 <> 0 THEN 'S9' END,
        CASE WHEN CAST(mask AS BIGINT) & 134217728 <> 0 THEN 'R8' END,
        CASE WHEN CAST(mask AS BIGINT) & 67108864 <> 0 THEN 'G8' END,
        CASE WHEN CAST(mask AS BIGINT) & 33554432 <> 0 THEN 'B8' END,
        CASE WHEN CAST(mask AS BIGINT) & 16777216 <> 0 THEN 'S8' END,
        CASE WHEN CAST(mask AS BIGINT) & 8388608 <> 0 THEN 'R7' END,
        CASE WHEN CAST(mask AS BIGINT) & 4194304 <> 0 THEN 'G7' END,
        CASE WHEN CAST(mask AS BIGINT) & 2097152 <> 0 THEN 'B7' END,
        CASE WHEN CAST(mask AS BIGINT) & 1048576 <> 0 THEN 'S7' END,
        CASE WHEN CAST(mask AS BIGINT) & 524288 <> 0 THEN 'R6' END,
        CASE WHEN CAST(mask AS BIGINT) & 262144 <> 0 THEN 'G6' END,
        CASE WHEN CAST(mask AS BIGINT) & 131072 <> 0 THEN 'B6' END,
        CASE WHEN CAST(mask AS BIGINT) & 65536 <> 0 THEN 'S6' END,
        CASE WHEN CAST(mask AS BIGINT) & 32768 <> 0 THEN 'R5' END,
        CASE WHEN CAST(mask AS BIGINT) & 16384 <> 0 THEN 'G5' END,
        CASE WHEN CAST(mask AS BIGINT) & 8192 <> 0 THEN 'B5' END,
        CASE WHEN CAST(mask AS BIGINT) & 4096 <> 0 THEN 'S5' END,
        CASE WHEN CAST(mask AS BIGINT) & 2048 <> 0 THEN 'R4' END,
        CASE WHEN CAST(mask AS BIGINT) & 1024 <> 0 THEN 'G4' END,
        CASE WHEN CAST(mask AS BIGINT) & 512 <> 0 THEN 'B4' END,
        CASE WHEN CAST(mask AS BIGINT) & 256 <> 0 THEN 'S4' END,
        CASE WHEN CAST(mask AS BIGINT) & 128 <> 0 THEN 'R3' END,
        CASE WHEN CAST(mask AS BIGINT) & 64 <> 0 THEN 'G3' END,
        CASE WHEN CAST(mask AS BIGINT) & 32 <> 0 THEN 'B3' END,
        CASE WHEN CAST(mask AS BIGINT) & 16 <> 0 THEN 'S3' END,
        CASE WHEN CAST(mask AS BIGINT) & 8 <> 0 THEN 'R2' END,
        CASE WHEN CAST(mask AS BIGINT) & 4 <> 0 THEN 'G2' END,
        CASE WHEN CAST(mask AS BIGINT) & 2 <> 0 THEN 'B2' END,
        CASE WHEN CAST(mask AS BIGINT) & 1 <> 0 THEN 'S2' END,
        CASE WHEN CAST(mask AS BIGINT) & 4503599627370496 <> 0 THEN 'Ma' END,
        CASE WHEN CAST(mask AS BIGINT) & 9007199254740992 <> 0 THEN 'Do' END) END;
