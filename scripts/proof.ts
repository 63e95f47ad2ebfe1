/** `npm run proof`: how many of the mistakes in generated programs the proofs find, and how many of their findings are mistakes. */
import { parseArgs } from 'node:util'
import { measureGraphs } from './proof/graphs/measure.ts'
import { measure, precision, recall, type Score } from './proof/measure.ts'
import { measureTrees } from './proof/trees/measure.ts'

const LEAST_PRECISION = 0.98
const SHOWN = 3

/** A program of which the proofs and the truth say different things. */
interface Disagreement {
  readonly name: string
  readonly kind: string
  readonly missed: readonly string[]
  readonly wrong: readonly string[]
}

const { values } = parseArgs({ options: { n: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } } })
const [count, seed] = [Number(values.n), Number(values.seed)]
const { scores, total, disagreements, skipped } = await measure(count, seed)

const trees = measureTrees(2, seed)
const graphs = measureGraphs(2, seed)

const row = (name: string, score: Score): string =>
  [
    name.padEnd(42),
    String(score.programs).padStart(8),
    String(score.real).padStart(8),
    recall(score).toFixed(3).padStart(8),
    precision(score).toFixed(3).padStart(10),
  ].join('')

console.log(`${'mistake'.padEnd(42)}programs   there  recall precision`)
for (const [name, score] of scores) console.log(row(name, score))
console.log(row('all', total))
console.log(
  `${count} programs, seed ${seed}, each with one mistake of every class it has room for; ${skipped} were too large to be run in every way`,
)
for (const { seed: number, kind, missed, wrong, program } of disagreements.slice(0, SHOWN)) {
  console.log(
    `\nprogram ${number}, ${kind}: ${[...missed.map((fact) => `missed "${fact}"`), ...wrong.map((fact) => `wrongly said "${fact}"`)].join(', ')}`,
  )
  for (const workflow of program.workflows) console.log(JSON.stringify(workflow))
}
const table = (
  title: string,
  { scores, total, disagreements }: Pick<typeof trees, 'scores' | 'total'> & { readonly disagreements: readonly Disagreement[] },
): void => {
  console.log(title)
  for (const [name, score] of scores) console.log(row(name, score))
  console.log(row('all', total))
  for (const { name, kind, missed, wrong } of disagreements.slice(0, SHOWN))
    console.log(
      `\n${name}, ${kind}: ${[...missed.map((fact) => `missed "${fact}"`), ...wrong.map((fact) => `wrongly said "${fact}"`)].join(', ')}`,
    )
  if (recall(total) < 1 || precision(total) < LEAST_PRECISION) process.exitCode = 1
}
table(`\n${'mistake in a tree'.padEnd(42)}   trees   there  recall precision`, {
  ...trees,
  disagreements: trees.disagreements.map((one) => ({ ...one, name: one.tree })),
})
table(`\n${'mistake in a graph'.padEnd(42)}  graphs   there  recall precision`, {
  ...graphs,
  disagreements: graphs.disagreements.map((one) => ({ ...one, name: one.graph })),
})
if (recall(total) < 1 || precision(total) < LEAST_PRECISION) process.exitCode = 1
