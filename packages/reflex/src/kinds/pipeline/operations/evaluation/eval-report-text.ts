import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { renderText } from '../../language/render.ts'
import { mean } from './scores.ts'
import type { SampleResult } from './eval-results.ts'

/** What a report tells of. */
export interface Reported {
  readonly title: string
  readonly model: string
  readonly provider: string
  readonly results: readonly SampleResult[]
  readonly metrics: Json
}

/** Samples that a report of people names one by one. */
const SHOWN = 50

/** How an evaluation is told (reference pipeline 4.8, eval.report). */
export const REPORTS: ReadonlyMap<string, (reported: Reported) => string> = new Map([
  ['terminal', terminal],
  ['json', json],
  ['markdown', markdown],
])

function passedOf(results: readonly SampleResult[]): number {
  return results.filter(({ passed }) => passed).length
}

function rows(metrics: Json): readonly (readonly [string, string])[] {
  const values = isObject(metrics) ? Object.entries(metrics) : []
  return values.map(([name, value]) => [name, typeof value === 'number' ? value.toFixed(3) : renderText(value)])
}

function told({ model, provider }: Reported): string {
  return [provider, model].filter((part) => part !== '').join(':')
}

function terminal(reported: Reported): string {
  const { title, results, metrics } = reported
  const width = Math.max(0, ...rows(metrics).map(([name]) => name.length))
  const lines = results
    .slice(0, SHOWN)
    .map(({ id, passed, scores }) => `  ${passed ? 'pass' : 'FAIL'}  ${id}${passed ? '' : `  ${why(scores)}`}`)
  return [
    `${title}${told(reported) === '' ? '' : `  (${told(reported)})`}`,
    `  ${passedOf(results)} of ${results.length} samples passed`,
    ...rows(metrics).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...lines,
    ...more(results, '  '),
    '',
  ].join('\n')
}

function markdown(reported: Reported): string {
  const { title, results, metrics } = reported
  return [
    `# ${title}`,
    '',
    ...(told(reported) === '' ? [] : [`Model: ${told(reported)}`, '']),
    `${passedOf(results)} of ${results.length} samples passed.`,
    '',
    ...(rows(metrics).length === 0
      ? []
      : ['| metric | value |', '| --- | --- |', ...rows(metrics).map(([name, value]) => `| ${cell(name)} | ${cell(value)} |`), '']),
    '| sample | passed | score | why |',
    '| --- | --- | --- | --- |',
    ...results
      .slice(0, SHOWN)
      .map(
        ({ id, passed, scores }) =>
          `| ${cell(id)} | ${passed ? 'yes' : 'no'} | ${mean(scores.map(({ score }) => score)).toFixed(2)} | ${cell(why(scores))} |`,
      ),
    ...more(results, ''),
    '',
  ].join('\n')
}

function json({ title, model, provider, results, metrics }: Reported): string {
  const report: JsonObject = {
    title,
    model,
    provider,
    sample_count: results.length,
    passed_count: passedOf(results),
    metrics,
    results: results as unknown as Json,
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

function why(scores: SampleResult['scores']): string {
  return scores
    .filter(({ passed }) => !passed)
    .map(({ grader, detail }) => `${grader}: ${detail}`)
    .join('; ')
}

function more(results: readonly SampleResult[], indent: string): readonly string[] {
  return results.length > SHOWN ? ['', `${indent}and ${results.length - SHOWN} more`] : []
}

/** Text that stays in its cell. */
function cell(text: string): string {
  return text.replace(/[\\|]/g, (sign) => `\\${sign}`).replace(/\s+/g, ' ')
}
