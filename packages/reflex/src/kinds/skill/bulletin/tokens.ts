/** Counts the tokens of a text. Its name is recorded, because budgets depend on it. */
export interface Tokenizer {
  readonly name: string
  readonly count: (text: string) => number
}

const RUNS = /[A-Za-z0-9]+| +|[!-/:-@[-`{-~]+|[^A-Za-z0-9 ]/gu
/** Marks between words of JSON and of tags, as they stand without spaces: each is one token in both encodings. */
const JSON_MARKS: ReadonlySet<string> = new Set(['{"', '"}', '"}}', '":', '":"', '":{"', '":["', '","', '"]', '"},{"', '</', '>{"'])
/** Words of the protocol. Other words in capitals take a token for two letters. */
const PROTOCOL_WORDS: ReadonlyMap<string, number> = new Map([
  ['SKILL', 2],
  ['RESULT', 1],
])
const MARKS = /^[!-/:-@[-`{-~]+$/
const DIGITS = /^[0-9]+$/
const LETTERS = /^[A-Za-z]+$/
const WORD = /^[A-Z]?[a-z]+$/
const LONGEST_WORD = 20
/** Pairs of letters that English words hardly have: identifiers and random letters take a token for one or two letters. */
const UNUSUAL =
  /[bcdfghjklmnpqrstvwxz]{4}|[aeiou]{4}|q[^u]|[fhjkvwxz][bcdfgjkmnpqrtvwxz]|[bcdfghjklmpqstvwxz][jqvxz]|[bdfgmpt][bcdfgkmnptvw]|aa|ii|iy|uu|uo|yy|c[dgmnp]|y[hjkqrvwxz]|k[afhou]|w[uv]|[fhj]f|hb|[^s]w[ln]|[fhpvwy]u[flpuvw]|[jqvxz]$/
/** Scripts in which no character takes more than about one token. Other characters can take one for each byte. */
const COMMON = /[\u0080-\u04ff\u0590-\u06ff\u2010-\u203a\u2190-\u21ff\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]/

/**
 * Returns an upper bound of the tokens of a text in the encodings o200k_base and cl100k_base, for hosts without a tokenizer. It counts by
 * classes of characters (reference skill 1.15): texts that people and programs write come out 1.2 to 2 times too high, and not too low. Only
 * invented words that look like English can come out a tenth too low.
 */
function estimateTokens(text: string): number {
  let [tokens, isAfterSpace] = [0, false]
  for (const [run] of text.matchAll(RUNS)) {
    if (run.startsWith(' ')) {
      tokens += run.length > 1 ? 2 : 0
      isAfterSpace = true
      continue
    }
    tokens += tokensOfRun(run, isAfterSpace)
    isAfterSpace = false
  }
  return Math.ceil(tokens) + (isAfterSpace ? 1 : 0)
}

/** Numbers have a token for three digits, and one for the space before them; a word takes the space into its first token. */
function tokensOfRun(run: string, isAfterSpace: boolean): number {
  const { length } = run
  if (MARKS.test(run)) return !isAfterSpace && JSON_MARKS.has(run) ? 1 : length
  const known = PROTOCOL_WORDS.get(run)
  if (known !== undefined) return known
  if (DIGITS.test(run)) return Math.ceil(length / 3) + (isAfterSpace ? 1 : 0)
  if (WORD.test(run)) return Math.ceil(length / (length > LONGEST_WORD || UNUSUAL.test(run) ? 1.5 : 4))
  if (LETTERS.test(run)) return Math.ceil(length / (length > 6 ? 1.4 : 2))
  if (/^[A-Za-z0-9]/.test(run)) return Math.ceil(length / 1.15)
  if (length > 1) return 4
  return run.charCodeAt(0) < 128 ? 1 : COMMON.test(run) ? 1.25 : 3
}

/** The counting that every host has. */
export const ESTIMATE: Tokenizer = { name: 'estimate', count: estimateTokens }

/** Returns a tokenizer that never fails: where that of the host throws or gives no number, the estimate counts. */
export function safeTokenizer(tokenizer: Tokenizer = ESTIMATE): Tokenizer {
  return {
    name: tokenizer.name,
    count(text) {
      try {
        const count = tokenizer.count(text)
        return Number.isFinite(count) && count >= 0 ? count : estimateTokens(text)
      } catch {
        return estimateTokens(text)
      }
    },
  }
}
