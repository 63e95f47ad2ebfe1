/** Compares what is proved of generated programs with what is true of them, class by class. */
import { specFlow } from '../../packages/reflex/src/agents/spec-flow.ts'
import type { Workflow, VerificationWarning } from '../../packages/reflex/src/kinds/workflow/types/index.ts'
import { verifyWorkflow } from '../../packages/reflex/src/kinds/workflow/check/verify.ts'
import { makeProgram, type MadeProgram } from './generate.ts'
import { valuesOf } from './maker.ts'
import { MISTAKES, mutate } from './mutate.ts'
import { refusedComparisons, refusedWrites } from './refused.ts'
import { truthOf } from './oracle.ts'
import { Dice } from './random.ts'

/** What came of one class of programs. */
export interface Score {
  programs: number
  /** Mistakes that are there. */
  real: number
  /** Findings. */
  told: number
  /** Findings of mistakes that are there. */
  right: number
}

/** A program of which proof and truth say different things. */
export interface Disagreement {
  readonly seed: number
  readonly kind: string
  readonly missed: readonly string[]
  readonly wrong: readonly string[]
  readonly program: MadeProgram
}

export interface Measured {
  readonly scores: ReadonlyMap<string, Score>
  readonly total: Score
  /** The smallest first. */
  readonly disagreements: readonly Disagreement[]
  /** Programs that were too large to be run in every way. */
  readonly skipped: number
}

export const CORRECT = 'no mistake'

/** Makes `count` programs, and of each one mutant of every class that applies. */
export async function measure(count: number, seed: number): Promise<Measured> {
  const scores = new Map<string, Score>(
    [CORRECT, ...Object.keys(MISTAKES)].map((kind) => [kind, { programs: 0, real: 0, told: 0, right: 0 }]),
  )
  const disagreements: Disagreement[] = []
  let skipped = 0
  for (let i = 0; i < count; i++) {
    const dice = new Dice(seed * 1_000_003 + i)
    const program = await makeCorrect(dice)
    for (const [kind, score] of scores) {
      const mutant = kind === CORRECT ? { program, facts: [] } : mutate(program, kind, dice)
      if (mutant === undefined) continue
      const { facts, also, whole } = await truth(mutant.program)
      if (!whole) skipped++
      if (!whole || (kind !== CORRECT && facts.size + mutant.facts.length === 0)) continue
      const real = new Set([...facts, ...mutant.facts, ...refusedWrites(mutant.program)])
      // A value that the board refuses in a condition is often told of as the edge that it closes.
      const perhaps = new Set([...also, ...refusedComparisons(mutant.program)].filter((fact) => !real.has(fact)))
      const told = new Set([...proved(mutant.program)].filter((fact) => !perhaps.has(fact)))
      const missed = [...real].filter((fact) => !told.has(fact))
      const wrong = [...told].filter((fact) => !real.has(fact))
      score.programs++
      score.real += real.size
      score.told += told.size
      score.right += told.size - wrong.length
      if (missed.length + wrong.length > 0) disagreements.push({ seed: i, kind, missed, wrong, program: mutant.program })
    }
  }
  const total = { programs: 0, real: 0, told: 0, right: 0 }
  for (const score of scores.values()) for (const field of ['programs', 'real', 'told', 'right'] as const) total[field] += score[field]
  return { scores, total, disagreements: disagreements.sort((a, b) => sizeOf(a) - sizeOf(b)), skipped }
}

/** Blocks that are right one by one can leave an edge that is never open together: such a program is made anew. */
async function makeCorrect(dice: Dice): Promise<MadeProgram> {
  for (;;) {
    const program = makeProgram(dice)
    const { facts, whole } = await truth(program)
    if (whole && facts.size === 0 && refusedWrites(program).length === 0) return program
  }
}

async function truth({ workflows: [root, ...others] }: MadeProgram): ReturnType<typeof truthOf> {
  if (root === undefined) throw new RangeError('a program has a root')
  return truthOf({ root, others, values: valuesOf })
}

/** What is proved, in the words of the oracle. */
function proved({ workflows }: MadeProgram): Set<string> {
  const [root] = workflows
  if (root === undefined) return new Set()
  const effects: Parameters<typeof verifyWorkflow>[2] = (workflow, node) =>
    node.spec.who === 'somebody' ? undefined : specFlow({}, () => false, workflow, node)
  const { warnings } = verifyWorkflow(root, (id) => workflows.find((workflow) => workflow.id === id), effects)
  return new Set(warnings.map((warning) => factOf(root, warning)))
}

const FACTS = {
  NO_VALID_EDGE: 'stuck',
  UNREACHABLE_NODE: 'lost',
  DEAD_EDGE: 'dead',
  READ_BEFORE_WRITE: 'missing',
  MISSING_REQUIRED_INPUT: 'missing',
  MISSING_CALL_INPUT: 'missing',
  UNKNOWN_KEY: 'slip',
  RETURNMAP_KEY_NOT_IN_CHILD_OUTPUTS: 'return',
  ENDLESS_RECURSION: 'endless',
  CONTRACT_MISMATCH: 'misfit',
  UNDECLARED_KEY: 'slip',
  UNKNOWN_PART: 'part',
  VALUE_REFUSED: 'refused',
  NEVER_EVALUATED: 'fails',
} as const

function factOf(root: Workflow, { code, nodeId, key, finding }: VerificationWarning): string {
  const word = FACTS[code]
  if (code === 'DEAD_EDGE') {
    const index = Number(/\d+/.exec(finding?.path ?? '')?.[0])
    return `${word} ${root.edges[index]?.id ?? ''}`
  }
  return ['stuck', 'lost', 'endless'].includes(word) ? `${word} ${nodeId}` : `${word} ${nodeId} ${key}`
}

function sizeOf({ program }: Disagreement): number {
  return JSON.stringify(program).length
}

/** The share of real mistakes that were found. */
export function recall({ real, right }: Score): number {
  return real === 0 ? 1 : right / real
}

/** The share of findings that are real mistakes. */
export function precision({ told, right }: Score): number {
  return told === 0 ? 1 : right / told
}
