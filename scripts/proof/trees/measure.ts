/** Compares what is found in trees with the mistakes that were made in them, class by class. */
import type { Program } from '../../../packages/reflex/src/kernel/index.ts'
import { checkTree } from '../../../packages/reflex/src/kinds/tree/check/check-tree.ts'
import { compileTree } from '../../../packages/reflex/src/kinds/tree/compile/compile.ts'
import type { CompiledTree } from '../../../packages/reflex/src/kinds/tree/compile/compiled.ts'
import type { TreeSource } from '../../../packages/reflex/src/kinds/tree/model/source.ts'
import { NODES } from '../../../packages/reflex/src/kinds/tree/nodes/table.ts'
import { CORRECT, type Score } from '../measure.ts'
import { Dice } from '../random.ts'
import { CORPUS } from './corpus.ts'
import { draftOf } from './draft.ts'
import { KEY_MISTAKES, namesIn } from './mutate-keys.ts'
import { LIMIT_MISTAKES } from './mutate-limits.ts'
import { SHAPE_MISTAKES } from './mutate-shape.ts'
import type { Mistakes } from './mistake.ts'

export const TREE_MISTAKES: Mistakes = { ...SHAPE_MISTAKES, ...LIMIT_MISTAKES, ...KEY_MISTAKES }

/** A tree of which the checks and the truth say different things. */
export interface TreeDisagreement {
  readonly tree: string
  readonly kind: string
  readonly missed: readonly string[]
  readonly wrong: readonly string[]
}

export interface MeasuredTrees {
  readonly scores: ReadonlyMap<string, Score>
  readonly total: Score
  readonly disagreements: readonly TreeDisagreement[]
}

const OPTIONS = { nodes: new Map(NODES.map((manifest) => [manifest.type, manifest])) }
const FUNCTIONS = namesIn(CORPUS.map(draftOf), 'fn')
const TOOLS = [...namesIn(CORPUS.map(draftOf), 'tool'), ...NODES.flatMap(({ tool }) => tool ?? [])]

/** Makes each mistake in each tree of the corpus that has room for it, `rounds` times. */
export function measureTrees(rounds: number, seed: number, corpus: readonly TreeSource[] = CORPUS): MeasuredTrees {
  const scores = new Map<string, Score>()
  const disagreements: TreeDisagreement[] = []
  const total: Score = { programs: 0, real: 0, told: 0, right: 0 }
  const compare = (
    kind: string,
    tree: TreeSource,
    others: readonly TreeSource[],
    real: readonly string[],
    known: readonly string[],
  ): void => {
    const score = scores.get(kind) ?? { programs: 0, real: 0, told: 0, right: 0 }
    scores.set(kind, score)
    const told = findingsOf(tree, others)
    const certain = real.filter((fact) => !fact.startsWith('?'))
    const missed = certain.filter((fact) => !told.includes(fact))
    const mayBe = (fact: string): boolean => isFact(fact) || known.includes(fact) || real.includes(`?${fact.split(' ')[0] ?? ''}`)
    const wrong = told.filter((fact) => !certain.includes(fact) && !mayBe(fact))
    for (const each of [score, total]) {
      each.programs++
      each.real += certain.length
      each.told += certain.length - missed.length + wrong.length
      each.right += certain.length - missed.length
    }
    if (missed.length + wrong.length > 0) disagreements.push({ tree: tree.id, kind, missed, wrong })
  }
  for (const [place, tree] of corpus.entries()) {
    const known = findingsOf(tree, [])
    compare(CORRECT, tree, [], [], [])
    for (const [kind, mistake] of Object.entries(TREE_MISTAKES))
      for (let round = 0; round < rounds; round++) {
        const dice = new Dice(seed * 1_000_003 + place * 101 + round)
        const [mutant, others] = [draftOf(tree), [] as TreeSource[]]
        const real = mistake(mutant, dice, others)
        if (real !== undefined) compare(kind, mutant, others, real, known)
      }
  }
  return { scores, total, disagreements }
}

/** A fact is no mistake: how often models are asked. */
function isFact(finding: string): boolean {
  return finding.startsWith('R1292')
}

function findingsOf(tree: TreeSource, others: readonly TreeSource[]): string[] {
  const trees = [tree, ...others, ...CORPUS]
  const compiled = new Map<string, CompiledTree>()
  const lookup = (reference: string): Program | undefined => {
    if (reference === 'workflow:refund') return { kind: 'workflow', name: reference, rev: 1, hash: '', source: null, def: undefined }
    const source = trees.find(({ id }) => `tree:${id}` === reference)
    if (source === undefined) return undefined
    const def = compiled.get(source.id) ?? compileTree(source, OPTIONS)
    compiled.set(source.id, def)
    return { kind: 'tree', name: reference, rev: 1, hash: '', source: null, def }
  }
  const names = (): string[] => trees.map(({ id }) => id)
  return checkTree(compileTree(tree, OPTIONS), { lookup, names, functions: FUNCTIONS, tools: TOOLS }).map(
    ({ code, path = '' }) => `${code} ${path}`,
  )
}
