import { isList, isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { looseJson } from '../models/loose-json.ts'
import type { Action } from './action.ts'

/** The limit of characters of a previous attempt, and of its test output, in a prompt. */
const MOST_REPEATED = 20_000
const ATTEMPTS = 3

/** Returns the prompt for an implementation that makes tests pass, with the previous attempt if there is one. */
export const implementationPrompt: Action = (_scene, params) => {
  const part = (title: string, text: string): string[] => (text.trim() === '' ? [] : [`## ${title}\n\n${text}`])
  const value = (name: string): string => renderText(params[name]).slice(-MOST_REPEATED)
  const isRetry = value('last_impl') !== '' || value('last_failure') !== ''
  const prompt = [
    `Write the implementation of ${value('module_name') || 'the module'} so that all of its tests pass.`,
    ...part('What it does', value('description')),
    ...part('Signature', value('signature')),
    ...part('Tests', value('test_code')),
    ...part('Your last attempt', value('last_impl')),
    ...part('What its tests said', value('last_failure')),
    isRetry
      ? 'The last attempt did not pass. Find out why from what the tests said, and answer with the whole corrected source.'
      : 'Answer with the whole source and nothing else.',
  ].join('\n\n')
  return { result: { prompt } }
}

/** Counts an attempt and stores its code and its failure. */
export const recordAttempt: Action = (_scene, params) => {
  const { iteration, max_iterations: most } = params
  const next = (typeof iteration === 'number' ? iteration : 0) + 1
  return {
    result: {
      iteration: next,
      exhausted: next >= (typeof most === 'number' ? most : ATTEMPTS),
      last_impl: params['current_impl'] ?? null,
      last_failure: params['test_output'] ?? null,
    },
  }
}

interface ReviewFinding {
  readonly title: string
  readonly file: string
  readonly line: string
  readonly severity: string
  readonly text: string
  readonly by: string[]
}

const SEVERITIES = ['critical', 'high', 'major', 'medium', 'minor', 'low', 'info', '']

/**
 * Merges reviews of the same subject: findings with the same place and title become one, with all its reviewers. A finding of a
 * single reviewer stays: reviews are not votes.
 */
export const synthesizeReviews: Action = (_scene, params) => {
  const raw = params['results'] ?? null
  const read = typeof raw === 'string' ? looseJson(raw) : raw
  const reviews = (isList(read) ? read : isObject(read) ? [read] : []).filter(hasResult).map(reviewOf)
  if (reviews.length === 0) return { problem: 'the results contain no review' }
  const found = new Map<string, ReviewFinding>()
  for (const { by, findings } of reviews) {
    for (const finding of findings) {
      const key = [finding.file, finding.line, finding.title.toLowerCase()].join('\n')
      const known = found.get(key)
      if (known === undefined) found.set(key, { ...finding, by: [by] })
      else if (!known.by.includes(by)) known.by.push(by)
    }
  }
  const rank = ({ severity }: ReviewFinding): number => (SEVERITIES.includes(severity) ? SEVERITIES.indexOf(severity) : SEVERITIES.length)
  const all = [...found.values()].sort((a, b) => rank(a) - rank(b) || b.by.length - a.by.length)
  const agreed = all.filter(({ by }) => by.length > 1).length
  const counts = { reviewers: reviews.length, findings: all.length, agreed, solitary: all.length - agreed }
  return { result: { report: reportOf(all, reviews), counts, findings: all as unknown as Json } }
}

/** True unless the branch failed or was stopped: it then has no review. */
function hasResult(entry: Json): boolean {
  return !isObject(entry) || (entry['status'] !== 'fail' && entry['status'] !== 'skipped')
}

interface Review {
  readonly by: string
  readonly findings: readonly Omit<ReviewFinding, 'by'>[]
  readonly prose: string
}

/** Returns a review: the findings of its JSON, otherwise its text. */
function reviewOf(entry: Json, i: number): Review {
  const object = isObject(entry) ? entry : {}
  const updates = isObject(object['context_updates']) ? object['context_updates'] : {}
  const by = renderText(object['id'] ?? object['reviewer'] ?? '') || `reviewer ${i + 1}`
  const text = typeof entry === 'string' ? entry : renderText(updates['last_response'] ?? object['text'] ?? object['notes'] ?? '')
  const read = looseJson(text) ?? (Array.isArray(object['findings']) ? object : undefined)
  const list = isList(read) ? read : isObject(read) ? read['findings'] : undefined
  const findings = (isList(list) ? list : []).map(findingOf)
  return { by, findings, prose: isList(list) ? '' : text }
}

function findingOf(value: Json): Omit<ReviewFinding, 'by'> {
  const object: JsonObject = isObject(value) ? value : { title: renderText(value) }
  const firstText = (...names: string[]): string => renderText(names.map((name) => object[name]).find((found) => found !== undefined))
  return {
    title: firstText('title', 'summary', 'issue', 'message'),
    file: firstText('file', 'path'),
    line: firstText('line'),
    severity: firstText('severity', 'priority').toLowerCase(),
    text: firstText('description', 'detail', 'explanation', 'suggestion'),
  }
}

function reportOf(found: readonly ReviewFinding[], reviews: readonly Review[]): string {
  const place = ({ file, line }: ReviewFinding): string => (file === '' ? '' : ` (${file}${line === '' ? '' : `:${line}`})`)
  const lines = found.map((one) => {
    const severity = one.severity === '' ? '' : `[${one.severity}] `
    return `- ${severity}${one.title}${place(one)}, by ${one.by.join(', ')}${one.text === '' ? '' : `\n  ${one.text}`}`
  })
  const prose = reviews.filter(({ prose: text }) => text.trim() !== '').map(({ by, prose: text }) => `## ${by}\n\n${text.trim()}`)
  return ['# Review', `${reviews.length} reviewers, ${found.length} findings`, lines.join('\n'), ...prose]
    .filter((part) => part !== '')
    .join('\n\n')
}
