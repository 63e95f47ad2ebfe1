import type { Json } from '../../kernel/index.ts'
import type { Row } from './rows.ts'
import type { SlotRule, Source } from './template.ts'
import { containsWord, namedScalars, parsedText, scalarText, valueAtPath, valueKey, type ValuePath } from './values.ts'

/** The values of one place in each row; undefined in rows that are exceptions. */
export type Column = readonly (Json | undefined)[]

/** A shorter text of a result is inside another text by chance. */
const SHORTEST_INSIDE = 3
/** A slot of one character is not searched inside a text. */
const SHORTEST_SLOT = 2

/** Finds what explains the values of a place: results of earlier steps, slots, facts of the board, the text of the user. */
export class KnownSources {
  readonly slots: SlotRule[] = []
  readonly #rows: readonly Row[]
  readonly #needed: number
  readonly #counted: number

  /** The first `counted` rows are spread evenly over all occurrences: a rule must hold in this share of them. */
  constructor(rows: readonly Row[], counted: number, agreement: number) {
    this.#rows = rows
    this.#counted = counted
    this.#needed = Math.ceil(agreement * counted)
  }

  /** True if a rule holds in enough of the counted rows. */
  agrees(holds: (row: Row, i: number) => boolean): boolean {
    let [held, failed] = [0, 0]
    for (let i = 0; i < this.#counted; i++) {
      const row = this.#rows[i]
      if (row !== undefined && holds(row, i)) held++
      else if (++failed > this.#counted - this.#needed) return false
    }
    return held >= this.#needed
  }

  /** Returns the result of an earlier step that values equal: the shortest path, then the latest step, then the first path. */
  result(step: number, column: Column, asText: boolean): Source | undefined {
    const same = asText ? textKey : valueKey
    const candidates = this.#candidates(step, column, (value, wanted) => same(value) === same(wanted))
    return candidates.find(({ step: from, path, isParsed }) =>
      this.agrees(({ results }, i) => {
        const [found, value] = [valueAtPath(results[from] ?? null, path, isParsed), column[i]]
        return found !== undefined && value !== undefined && same(found) === same(value)
      }),
    )
  }

  /** Returns a slot that has the same values. */
  slot(column: Column, asText: boolean): Source | undefined {
    const same = asText ? textKey : valueKey
    const slot = this.slots.findIndex(({ values }) =>
      this.agrees((_, i) => {
        const [found, value] = [values[i], column[i]]
        return found !== undefined && value !== undefined && same(found) === same(value)
      }),
    )
    return slot < 0 ? undefined : { kind: 'slot', slot }
  }

  /** Returns the path of the blackboard that has these values; the first one in the order of texts. */
  board(column: Column, asText: boolean): string | undefined {
    const same = asText ? textKey : valueKey
    const holds =
      (path: string) =>
      (row: Row, i: number): boolean => {
        const [found, value] = [row.facts.get(path), column[i]]
        return found !== undefined && value !== undefined && same(found) === same(value)
      }
    const paths = new Set(
      this.#probes().flatMap((i) => [...(this.#rows[i]?.facts.keys() ?? [])].filter((path) => this.#holdsAt(holds(path), i))),
    )
    return [...paths].sort().find((path) => this.agrees(holds(path)))
  }

  /** True if the values stand verbatim in the texts of users. */
  isInUserText(column: Column): boolean {
    return this.agrees(({ userText }, i) => {
      const text = scalarText(column[i])
      return text !== undefined && containsWord(userText, text)
    })
  }

  /** Returns the source whose text stands inside the texts of a place, the longest one first. */
  inside(step: number, column: Column): Source | undefined {
    const known: readonly Source[] = [
      ...this.slots.flatMap(({ origin }, slot): Source[] => (origin === 'secret' ? [] : [{ kind: 'slot', slot }])),
      ...this.#candidates(step, column, (value, wanted) => {
        const [text = '', whole = ''] = [scalarText(value), scalarText(wanted)]
        return text.length >= SHORTEST_INSIDE && text.length < whole.length && containsWord(whole, text)
      }),
    ]
    const holding = known.filter((source) =>
      this.agrees((_, i) => {
        const [text = '', whole = ''] = [scalarText(this.valueOf(source, i)), scalarText(column[i])]
        return text.length >= SHORTEST_SLOT && containsWord(whole, text)
      }),
    )
    const lengthOf = (source: Source): number =>
      this.#rows.reduce((sum, _, i) => sum + (scalarText(this.valueOf(source, i))?.length ?? 0), 0)
    return holding.map((source) => ({ source, length: lengthOf(source) })).sort((a, b) => b.length - a.length)[0]?.source
  }

  /** Returns the value of a source in a row. */
  valueOf(source: Source, i: number): Json | undefined {
    if (source.kind === 'slot') return this.slots[source.slot]?.values[i]
    return valueAtPath(this.#rows[i]?.results[source.step] ?? null, source.path, source.isParsed)
  }

  /** A few rows in which candidates are looked for: a rule that holds in most rows holds in one of them. */
  #probes(): readonly number[] {
    return [...new Set([0, this.#counted >> 1, this.#counted - 1])].filter((i) => i >= 0)
  }

  #holdsAt(holds: (row: Row, i: number) => boolean, i: number): boolean {
    const row = this.#rows[i]
    return row !== undefined && holds(row, i)
  }

  #candidates(
    step: number,
    column: Column,
    isLike: (value: Json, wanted: Json) => boolean,
  ): readonly (Source & { readonly kind: 'result' })[] {
    const found = new Map<string, Source & { readonly kind: 'result'; readonly pointer: string }>()
    for (const i of this.#probes()) {
      const wanted = column[i]
      if (wanted === undefined) continue
      for (let from = 0; from < step; from++) {
        const result = this.#rows[i]?.results[from] ?? null
        const parsed = parsedText(result)
        for (const [path, value] of namedScalars(parsed ?? result)) {
          if (!isLike(value, wanted)) continue
          const pointer = pointerOf(path)
          found.set(`${from}${pointer}`, { kind: 'result', step: from, path, isParsed: parsed !== undefined, pointer })
        }
      }
    }
    return [...found.values()]
      .sort((a, b) => a.pointer.length - b.pointer.length || b.step - a.step || (a.pointer < b.pointer ? -1 : 1))
      .map(({ pointer: _, ...source }) => source)
  }
}

/** Returns a key that values share whose texts are equal: `5` and `"5"`. */
function textKey(value: Json): string {
  return scalarText(value) ?? valueKey(value)
}

function pointerOf(path: ValuePath): string {
  return path.map((step) => `/${step}`).join('')
}
