import type { PatternTemplate } from '../../packages/reflex/src/learn/mine/template.ts'
import type { MinedPattern } from '../../packages/reflex/src/learn/mine/pattern.ts'
import type { MiningReport } from '../../packages/reflex/src/learn/mine/mine.ts'
import type { PlantedLog } from './planted.ts'
import type { Plant, Role } from './plants.ts'

/** The result of mining, compared with the planted patterns. */
export interface Score {
  /** Shares of exact sequences. */
  readonly precision: number
  readonly recall: number
  /** Decoys that were mined, whole or as a part. */
  readonly leaked: readonly string[]
  /** The harmonic mean of precision and recall over arguments that vary: each is a slot or comes from a step. */
  readonly slots: number
  readonly missed: readonly string[]
  readonly extra: readonly string[]
}

type Class = 'slot' | 'step'

/** Compares a report with what was planted. */
export function score(log: PlantedLog, { patterns }: MiningReport): Score {
  const keyOf = (symbols: readonly string[]): string => symbols.join('\n')
  const found = new Map(patterns.map((pattern) => [keyOf(pattern.symbols), pattern]))
  const real = log.plants.filter(({ decoy }) => decoy === undefined)
  const wanted = new Set(real.map((plant) => keyOf(log.symbols(plant))))
  const hits = real.filter((plant) => found.has(keyOf(log.symbols(plant))))
  const decoys = log.plants.filter(({ decoy }) => decoy !== undefined)
  const leaked = decoys.filter((decoy) => {
    const symbols = new Set(log.symbols(decoy))
    return patterns.some((pattern) => pattern.symbols.some((symbol) => symbols.has(symbol.replace(/\+$/, ''))))
  })
  const counts = { right: 0, found: 0, planted: 0 }
  for (const plant of hits) {
    const pattern = found.get(keyOf(log.symbols(plant)))
    if (pattern !== undefined) compareSlots(plant, pattern, counts)
  }
  return {
    precision: patterns.length === 0 ? 0 : hits.length / patterns.length,
    recall: hits.length / real.length,
    leaked: leaked.map(({ name }) => name),
    slots: (2 * counts.right) / (counts.found + counts.planted || 1),
    missed: real.filter((plant) => !hits.includes(plant)).map(({ name }) => name),
    extra: patterns.filter(({ symbols }) => !wanted.has(keyOf(symbols))).map(({ symbols }) => symbols.join(' ')),
  }
}

function compareSlots(plant: Plant, { template }: MinedPattern, counts: { right: number; found: number; planted: number }): void {
  const expected = new Map<string, Class>()
  for (const [step, { args, command }] of plant.steps.entries())
    for (const [i, [name, role]] of args.entries()) {
      const place = command === undefined ? `${step}/${name}` : `${step}/cmd/$words/${command.split(' ').length + 2 * i + 1}`
      const known = classOf(role)
      if (known !== undefined) expected.set(place, known)
    }
  const found = classesOf(template)
  counts.planted += expected.size
  counts.found += found.size
  for (const [place, known] of found) if (expected.get(place) === known) counts.right++
}

function classOf(role: Role): Class | undefined {
  return role.is === 'constant' ? undefined : role.is === 'step' ? 'step' : 'slot'
}

function classesOf({ places, rules }: PatternTemplate): ReadonlyMap<string, Class> {
  return new Map(
    places.map(
      ({ step, path }, i) =>
        [`${step}/${path.join('/')}`, rules[i]?.some(({ kind }) => kind === 'slot') === true ? 'slot' : 'step'] as const,
    ),
  )
}
