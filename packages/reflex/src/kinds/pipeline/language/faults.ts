import { defineFaults, type Fault } from '../../../kernel/journal/fault.ts'
import { quote } from '../../../text/printable.ts'
import type { Source } from '../../../text/source.ts'
import { didYouMean } from '../../../text/suggest.ts'
import type { Span } from '../dot/graph.ts'
import { sourcePlace, type Problem } from './problem.ts'

/** The part of the catalogue for what is written inside attributes, and for code that changes a pipeline. */
export const languageFaults = defineFaults({
  R1108: {
    title: 'A condition cannot be read',
    verdict: 'fail',
    when: 'before a run',
    rules: ['pipeline condition_syntax', 'pipeline condition_parse'],
    means:
      'A condition is a chain of clauses, joined by &&, each of which compares a key with a literal: outcome=success && context.tries!=3. An edge whose condition cannot be read is never taken.',
    often: 'or, ||, contains or ! from another language, a quote that is never closed, nothing before or behind the =',
    fix: 'Write each alternative as an edge of its own, and put text with blanks or operators into double quotes.',
  },
  R1109: {
    title: 'A condition orders numbers',
    verdict: 'fail',
    severity: 'info',
    when: 'before a run',
    rules: ['pipeline condition_operator'],
    means:
      'The operators < <= > >= are ours: other runners of this format know = and != alone. Both sides must be numbers, else the clause is false.',
    fix: 'Nothing, unless the file has to run elsewhere too: then let a transform node compute the comparison.',
  },
  R1110: {
    title: 'A model stylesheet cannot be read',
    verdict: 'fail',
    when: 'before a run',
    rules: ['pipeline stylesheet_syntax'],
    means:
      'A stylesheet is a list of rules: selector { property: value; }, with *, #id, .class or a shape as selector. The rule that is marked has no effect.',
    often: 'a forgotten ; or }, two selectors in a row, a property without a value',
    fix: 'Correct the marked place.',
  },
  R1111: {
    title: 'A stylesheet sets a property that means nothing',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    rules: ['pipeline stylesheet_property'],
    means: 'Stylesheets choose models: llm_model, llm_provider and reasoning_effort. Any other property is left out.',
    often: 'a misspelling, an attribute that has to be written at the node',
    fix: 'Write one of the three, or move the attribute to the nodes.',
  },
  R1112: {
    title: 'A duration cannot be read',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    rules: ['pipeline duration_syntax'],
    means:
      'A duration is a whole number with ms, s, m, h or d behind it; without a unit it counts milliseconds. A node fails with one that cannot be read, so it is an error there; of a graph, it counts as not set.',
    often: '1.5h, 5 min, a unit in capitals',
    fix: 'Write it as 90m, 300s or 250ms.',
  },
  R1113: {
    title: 'A weight is not a number',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    rules: ['pipeline weight_numeric'],
    means: 'The weight decides between several open edges, the heavier first. One that is not a number counts as 0.',
    fix: 'Write a number, such as 1 or 0.5.',
  },
  R1114: {
    title: 'A transform failed',
    verdict: 'fail',
    when: 'before a run',
    means:
      'A pipeline goes through the transforms that were registered, in their order, before it runs. One of them threw, or what it returned is no pipeline, so the run was refused: a half-changed pipeline must not run.',
    often: 'a transform that returns nothing or a promise, an attribute that is neither text nor number nor boolean',
    fix: 'Correct the transform: it takes a graph and returns a graph, at once.',
  },
  R1115: {
    title: 'Two pipelines cannot be merged',
    verdict: 'fail',
    when: 'before a run',
    means:
      'The nodes of the second pipeline enter the first with a prefix before their ids. Two of them would have the same id, or an id would not be one.',
    often: 'a prefix used twice, a prefix with a dash or a dot',
    fix: 'Choose another prefix: letters, digits and underscores, not a digit first.',
  },
})

const CODES = {
  condition_syntax: 'R1108',
  condition_operator: 'R1109',
  stylesheet_syntax: 'R1110',
  stylesheet_property: 'R1111',
} as const

/**
 * A problem as a finding, placed in the source that holds the attribute: `valueAt` is the attribute's. `path` says where it
 * is when no source does, such as `build -> ship`. What to do stands in the note of the frame, where there is one.
 */
export function problemFault(problem: Problem, source: Source | undefined, valueAt: Span | undefined, path?: string): Fault {
  const { rule, message, fix, guess } = problem
  const placed = sourcePlace(source, valueAt, problem, didYouMean(guess) ?? (fix === undefined ? undefined : `fix: ${fix}`))
  const toDo = guess === undefined ? (placed.frame === undefined ? fix : undefined) : `write ${quote(guess)}`
  return languageFaults.make(CODES[rule], message, { ...placed, rule, path, fix: toDo })
}
