import { defineFaults, type Fault } from '../../../kernel/index.ts'
import { quote, type Source, didYouMean } from '../../../text/index.ts'
import type { Span } from '../dot/graph.ts'
import { sourcePlace, type Problem } from './problem.ts'

/** The catalogue entries for the text inside attributes, and for code that changes a pipeline. */
export const languageFaults = defineFaults({
  R1108: {
    title: 'A condition cannot be read',
    verdict: 'fail',
    when: 'before a run',
    rules: ['pipeline condition_syntax', 'pipeline condition_parse'],
    means:
      'A condition is a chain of clauses, joined by &&, each of which compares a key with a literal: outcome=success && context.tries!=3. An edge whose condition cannot be read is never taken.',
    often: 'or, ||, contains or ! from another language, a missing closing quote, no key before or no value after the =',
    fix: 'Write each alternative as its own edge, and put text with blanks or operators in double quotes.',
  },
  R1109: {
    title: 'A condition orders numbers',
    verdict: 'fail',
    severity: 'info',
    when: 'before a run',
    rules: ['pipeline condition_operator'],
    means:
      'Only Reflex has the operators < <= > >=; other runners of this format have = and !=. Both sides must be numbers, otherwise the clause is false.',
    fix: 'Nothing, unless other runners must run the file: then compute the comparison in a transform node.',
  },
  R1110: {
    title: 'A model stylesheet cannot be read',
    verdict: 'fail',
    when: 'before a run',
    rules: ['pipeline stylesheet_syntax'],
    means:
      'A stylesheet is a list of rules: selector { property: value; }, with *, #id, .class or a shape as selector. The marked rule has no effect.',
    often: 'a forgotten ; or }, two selectors in a row, a property without a value',
    fix: 'Correct the marked place.',
  },
  R1111: {
    title: 'A stylesheet sets an unknown property',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    rules: ['pipeline stylesheet_property'],
    means: 'Stylesheets select models: llm_model, llm_provider and reasoning_effort. Any other property is ignored.',
    often: 'a misspelling, an attribute that belongs to the node',
    fix: 'Write one of the three, or move the attribute to the nodes.',
  },
  R1112: {
    title: 'A duration cannot be read',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    rules: ['pipeline duration_syntax'],
    means:
      'A duration is a whole number with the unit ms, s, m, h or d; without a unit it counts milliseconds. A node with an unreadable duration fails, so this is an error at a node; at a graph it counts as not set.',
    often: '1.5h, 5 min, a unit in capitals',
    fix: 'Write it as 90m, 300s or 250ms.',
  },
  R1113: {
    title: 'A weight is not a number',
    verdict: 'fail',
    severity: 'warning',
    when: 'before a run',
    rules: ['pipeline weight_numeric'],
    means: 'The weight decides between several open edges: the heaviest wins. A weight that is not a number counts as 0.',
    fix: 'Write a number, such as 1 or 0.5.',
  },
  R1114: {
    title: 'A transform failed',
    verdict: 'fail',
    when: 'before a run',
    means:
      'Before a pipeline runs, the registered transforms change it in order. One of them threw or did not return a pipeline. The run is refused: a half-changed pipeline must not run.',
    often: 'a transform that returns undefined or a promise, an attribute that is not text, a number or a boolean',
    fix: 'Correct the transform: it takes a graph and returns a graph, synchronously.',
  },
  R1115: {
    title: 'Two pipelines cannot be merged',
    verdict: 'fail',
    when: 'before a run',
    means:
      'The nodes of the second pipeline are added to the first with a prefix before their ids. Two nodes would have the same id, or an id would not be valid.',
    often: 'a prefix used twice, a prefix with a dash or a dot',
    fix: 'Choose another prefix: letters, digits and underscores; the first character is not a digit.',
  },
})

const CODES = {
  condition_syntax: 'R1108',
  condition_operator: 'R1109',
  stylesheet_syntax: 'R1110',
  stylesheet_property: 'R1111',
} as const

/**
 * Converts a problem to a finding, placed in the source that holds the attribute. `valueAt` is the span of the attribute.
 * `path` names the place if there is no source, such as `build -> ship`. If there is a code frame, its note has the fix.
 */
export function problemFault(problem: Problem, source: Source | undefined, valueAt: Span | undefined, path?: string): Fault {
  const { rule, message, fix, guess } = problem
  const placed = sourcePlace(source, valueAt, problem, didYouMean(guess) ?? (fix === undefined ? undefined : `fix: ${fix}`))
  const toDo = guess === undefined ? (placed.frame === undefined ? fix : undefined) : `write ${quote(guess)}`
  return languageFaults.finding(CODES[rule], message, { ...placed, rule, path, fix: toDo })
}
