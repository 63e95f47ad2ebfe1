import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { mean } from './scores.ts'
import type { SampleResult } from './eval-results.ts'

/** The contents of a report. */
export interface ReportData {
  readonly title: string
  readonly model: string
  readonly provider: string
  readonly results: readonly SampleResult[]
  readonly metrics: Json
}

/** The limit of samples that a report for people lists. */
const MOST_SHOWN = 50

/** The formats of reports (reference pipeline 4.8, eval.report). */
export const REPORTS: ReadonlyMap<string, (reported: ReportData) => string> = new Map([
  ['terminal', terminal],
  ['json', json],
  ['markdown', markdown],
])

function passedOf(results: readonly SampleResult[]): number {
  return results.filter(({ passed }) => passed).length
}

function metricRows(metrics: Json): readonly (readonly [string, string])[] {
  const values = isObject(metrics) ? Object.entries(metrics) : []
  return values.map(([name, value]) => [name, typeof value === 'number' ? value.toFixed(3) : renderText(value)])
}

function modelText({ model, provider }: ReportData): string {
  return [provider, model].filter((part) => part !== '').join(':')
}

function terminal(data: ReportData): string {
  const { title, results, metrics } = data
  const width = Math.max(0, ...metricRows(metrics).map(([name]) => name.length))
  const lines = results
    .slice(0, MOST_SHOWN)
    .map(({ id, passed, scores }) => `  ${passed ? 'pass' : 'FAIL'}  ${id}${passed ? '' : `  ${failureReasons(scores)}`}`)
  return [
    `${title}${modelText(data) === '' ? '' : `  (${modelText(data)})`}`,
    `  ${passedOf(results)} of ${results.length} samples passed`,
    ...metricRows(metrics).map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
    ...lines,
    ...omittedLines(results, '  '),
    '',
  ].join('\n')
}

function markdown(data: ReportData): string {
  const { title, results, metrics } = data
  return [
    `# ${title}`,
    '',
    ...(modelText(data) === '' ? [] : [`Model: ${modelText(data)}`, '']),
    `${passedOf(results)} of ${results.length} samples passed.`,
    '',
    ...(metricRows(metrics).length === 0
      ? []
      : ['| metric | value |', '| --- | --- |', ...metricRows(metrics).map(([name, value]) => `| ${cell(name)} | ${cell(value)} |`), '']),
    '| sample | passed | score | why |',
    '| --- | --- | --- | --- |',
    ...results
      .slice(0, MOST_SHOWN)
      .map(
        ({ id, passed, scores }) =>
          `| ${cell(id)} | ${passed ? 'yes' : 'no'} | ${mean(scores.map(({ score }) => score)).toFixed(2)} | ${cell(failureReasons(scores))} |`,
      ),
    ...omittedLines(results, ''),
    '',
  ].join('\n')
}

function json({ title, model, provider, results, metrics }: ReportData): string {
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

function failureReasons(scores: SampleResult['scores']): string {
  return scores
    .filter(({ passed }) => !passed)
    .map(({ grader, detail }) => `${grader}: ${detail}`)
    .join('; ')
}

function omittedLines(results: readonly SampleResult[], indent: string): readonly string[] {
  return results.length > MOST_SHOWN ? ['', `${indent}and ${results.length - MOST_SHOWN} more`] : []
}

/** Returns a text escaped for a table cell. */
function cell(text: string): string {
  return text.replace(/[\\|]/g, (sign) => `\\${sign}`).replace(/\s+/g, ' ')
}
