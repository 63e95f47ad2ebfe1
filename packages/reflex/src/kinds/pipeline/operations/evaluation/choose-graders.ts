import type { Json } from '../../../../kernel/index.ts'
import { didYouMean, suggest } from '../../../../text/index.ts'
import type { OperationTable } from '../../model/operation-table.ts'
import { grade, GRADER_NAMES } from './graders.ts'
import { type Grade, verdict } from './grade.ts'
import { mean } from './scores.ts'

/** A grader that a node names. */
export interface ChosenGrader {
  readonly name: string
  grade(actual: Json, expected: Json): Grade
}

/** A grader and its weight. */
interface WeightedGrader {
  readonly name: string
  readonly weight: number
}

/** The least weighted mean that passes. */
const ENOUGH = 0.5
const COMBINATIONS = ['weighted_avg', 'all_pass', 'any_pass'] as const
type Combination = (typeof COMBINATIONS)[number]

/**
 * Returns the graders that a node names, or the mistake in their names. `composite` combines graders: the others in the list, or
 * its own, as in `composite:any_pass:exact_match*2+contains` (reference pipeline 4.3.6). The combination is `weighted_avg`,
 * which passes from 0.5, `all_pass` or `any_pass`.
 */
export function chooseGraders(
  names: readonly string[],
  operations: OperationTable,
): readonly ChosenGrader[] | { readonly problem: string } {
  const plain = names.filter((name) => !isComposite(name))
  const chosen: ChosenGrader[] = []
  for (const name of names) {
    const grader = isComposite(name) ? composite(name, plain, operations) : findGrader(name, operations)
    if ('problem' in grader) return grader
    chosen.push(grader)
  }
  return chosen
}

function isComposite(name: string): boolean {
  return name === 'composite' || name.startsWith('composite:')
}

function findGrader(name: string, operations: OperationTable): ChosenGrader | { readonly problem: string } {
  if (GRADER_NAMES.includes(name))
    return { name, grade: (actual, expected) => grade(name, actual, expected, operations) ?? verdict(false, 'unavailable') }
  const names = [...GRADER_NAMES, 'composite']
  const hint = didYouMean(suggest(name, names))
  return { problem: `there is no grader ${JSON.stringify(name)}${hint === undefined ? `; graders: ${names.join(', ')}` : `; ${hint}`}` }
}

function composite(name: string, otherNames: readonly string[], operations: OperationTable): ChosenGrader | { readonly problem: string } {
  const [, word = 'weighted_avg', list = otherNames.join('+')] = name.split(':')
  const combination = COMBINATIONS.find((one) => one === word)
  if (combination === undefined)
    return { problem: `the combination of a composite must be one of ${COMBINATIONS.join(', ')}, not ${JSON.stringify(word)}` }
  const parts = list.split('+').flatMap(partOf)
  if (parts.length === 0) return { problem: 'a composite needs other graders' }
  const invalid = parts.find(({ weight }) => !(weight >= 0 && Number.isFinite(weight)))
  if (invalid !== undefined) return { problem: `the weight of ${invalid.name} in a composite is a number from 0` }
  const made = parts.map((part) => findGrader(part.name, operations))
  const wrong = made.find((one) => 'problem' in one)
  if (wrong !== undefined && 'problem' in wrong) return wrong
  return { name, grade: (actual, expected) => combineGrades(combination, parts, (one) => grade(one, actual, expected, operations)) }
}

function partOf(text: string): WeightedGrader[] {
  const [name = '', weight] = text.trim().split('*')
  return name === '' ? [] : [{ name: name.trim(), weight: weight === undefined ? 1 : Number(weight) }]
}

function combineGrades(combination: Combination, parts: readonly WeightedGrader[], gradeBy: (name: string) => Grade | undefined): Grade {
  const grades = parts.map(({ name, weight }) => ({ name, weight, ...(gradeBy(name) ?? verdict(false, 'unavailable')) }))
  const detail = grades.map(({ name, score }) => `${name} ${score.toFixed(2)}`).join(', ')
  const total = grades.reduce((sum, { weight }) => sum + weight, 0)
  const weighted =
    total === 0 ? mean(grades.map(({ score }) => score)) : grades.reduce((sum, { weight, score }) => sum + weight * score, 0) / total
  switch (combination) {
    case 'all_pass':
      return { score: weighted, passed: grades.every(({ passed }) => passed), detail }
    case 'any_pass':
      return { score: Math.max(...grades.map(({ score }) => score)), passed: grades.some(({ passed }) => passed), detail }
    default:
      return { score: weighted, passed: weighted >= ENOUGH, detail }
  }
}
