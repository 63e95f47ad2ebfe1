import { isObject, type Json, type JsonObject } from '../../../../kernel/journal/json.ts'
import { durationOf } from '../../language/duration.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Answer, Ask, Scene } from '../../contract/handler.ts'
import { commandResult } from '../commands/command-result.ts'
import { sandboxOf, stageFolder } from '../commands/hooks.ts'
import { onResume } from '../commands/requirements.ts'
import { type Action, type Problem, settledOr } from './action.ts'
import { folderOf } from './files.ts'
import type { Given } from '../../model/action-parameters.ts'

const TIMEOUT = 120_000

/** How a command ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of words without a shell, in the sandbox of the node. */
export function* runWords(
  scene: Scene,
  argv: readonly string[],
  cwd: string,
  more: { readonly stdin?: string; readonly timeout?: Json | undefined } = {},
): Generator<Ask, Ended | Problem, Answer> {
  const { stdin } = more
  const args: JsonObject = {
    argv: [...argv],
    cwd,
    timeout: timeoutOf(scene, more.timeout),
    ...(stdin === undefined ? {} : { stdin }),
    ...sandboxOf(scene),
  }
  const settled = settledOr(yield* callTool('command', args, onResume(scene)))
  if ('problem' in settled) return settled
  noteWarning(scene, settled.ok)
  return endedOf(settled.ok)
}

/** Adds the things that did not stay after a command to the trace. */
function noteWarning(scene: Scene, result: Json): void {
  const { warning } = isObject(result) ? result : {}
  if (typeof warning === 'string') scene.note('sandbox', { node_id: scene.node.id, warning })
}

export function endedOf(value: Json): Ended {
  const { code, stdout, stderr } = isObject(value) ? value : {}
  return { code: typeof code === 'number' ? code : null, stdout: renderText(stdout), stderr: renderText(stderr) }
}

/** Milliseconds: those of the action, else of the node, else two minutes. */
export function timeoutOf(scene: Scene, own: Json | undefined): number {
  if (typeof own === 'number' && own > 0) return own
  const node = durationOf(scene.attributes, 'timeout')
  return node === undefined || node === 0 ? TIMEOUT : node
}

/** Runs the text of a command; a code other than 0 is a result. */
export const shellRun: Action = function* (scene, given) {
  const settled = settledOr(
    yield* callTool(
      'shell',
      {
        command: given['command'] ?? '',
        cwd: folderOf(scene, given, 'cwd'),
        timeout: timeoutOf(scene, given['timeout']),
        stage: stageFolder(scene),
        ...sandboxOf(scene),
      },
      onResume(scene),
    ),
  )
  if ('problem' in settled) return settled
  noteWarning(scene, settled.ok)
  const { code, stdout, stderr } = endedOf(commandResult(settled.ok))
  return { result: { exit_code: code, stdout, stderr, output: stdout, success: code === 0 } }
}

/** A name that git takes for a branch and never for an option. */
const BRANCH = /^[A-Za-z0-9_][\w./-]{0,199}$/
const SAID = 500

function* git(scene: Scene, given: Given, words: readonly string[], stdin?: string): Generator<Ask, Ended | Problem, Answer> {
  return yield* runWords(scene, ['git', ...words], folderOf(scene, given), stdin === undefined ? {} : { stdin })
}

function gitProblem(what: string, ended: Ended): Problem {
  return { problem: `${what} exited with code ${String(ended.code)}: ${(ended.stderr.trim() || ended.stdout.trim()).slice(0, SAID)}` }
}

/** Goes to a branch, which is made where it is not there yet. */
export const gitBranch: Action = function* (scene, given) {
  const branch = renderText(given['branch'])
  const base = renderText(given['base'])
  for (const name of [branch, ...(base === '' ? [] : [base])]) {
    if (!BRANCH.test(name) || name.includes('..')) return { problem: `${JSON.stringify(name)} cannot be the name of a branch` }
  }
  const known = yield* git(scene, given, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])
  if ('problem' in known) return known
  const created = known.code !== 0
  const went = yield* git(scene, given, created ? ['switch', '-c', branch, ...(base === '' ? [] : [base])] : ['switch', branch])
  if ('problem' in went) return went
  return went.code === 0 ? { result: { branch, created } } : gitProblem('git switch', went)
}

/** Commits `files`, or everything that has changed; nothing to commit is a result. The message reaches git by its input. */
export const gitCommit: Action = function* (scene, given) {
  const files = (given['files'] as readonly Json[] | undefined)?.map((file) => renderText(file)) ?? []
  if (files.length > 0 || given['all'] !== false) {
    const added = yield* git(scene, given, files.length > 0 ? ['add', '--', ...files] : ['add', '--all'])
    if ('problem' in added) return added
    if (added.code !== 0) return gitProblem('git add', added)
  }
  const staged = yield* git(scene, given, ['diff', '--cached', '--quiet'])
  if ('problem' in staged) return staged
  if (staged.code === 0) return { result: { committed: false, commit: null, message: 'nothing to commit' } }
  const message = renderText(given['message'])
  const made = yield* git(scene, given, ['commit', '--quiet', '-F', '-'], message)
  if ('problem' in made) return made
  if (made.code !== 0) return gitProblem('git commit', made)
  const head = yield* git(scene, given, ['rev-parse', 'HEAD'])
  return 'problem' in head ? head : { result: { committed: true, commit: head.stdout.trim(), commit_hash: head.stdout.trim(), message } }
}

/** Pushes a branch and opens a pull request for it, with `gh`. The text of the request reaches it by its input. */
export const gitPr: Action = function* (scene, given) {
  const cwd = folderOf(scene, given)
  let branch = renderText(given['branch'])
  if (branch === '') {
    const here = yield* git(scene, given, ['branch', '--show-current'])
    if ('problem' in here) return here
    branch = here.stdout.trim()
  }
  const base = renderText(given['base'])
  for (const name of [branch, ...(base === '' ? [] : [base])]) {
    if (!BRANCH.test(name) || name.includes('..')) return { problem: `${JSON.stringify(name)} cannot be the name of a branch` }
  }
  if (given['push'] !== false) {
    const pushed = yield* git(scene, given, ['push', '--set-upstream', 'origin', branch])
    if ('problem' in pushed) return pushed
    if (pushed.code !== 0) return gitProblem('git push', pushed)
  }
  const words = ['gh', 'pr', 'create', `--title=${renderText(given['title'])}`, '--body-file=-', `--head=${branch}`]
  const options = [...(base === '' ? [] : [`--base=${base}`]), ...(given['draft'] === true ? ['--draft'] : [])]
  const opened = yield* runWords(scene, [...words, ...options], cwd, { stdin: renderText(given['body']) })
  if ('problem' in opened) return opened
  if (opened.code !== 0) return gitProblem('gh pr create', opened)
  const url = /https?:\/\/\S+/.exec(opened.stdout)?.[0] ?? opened.stdout.trim()
  return { result: { pr_url: url, url, number: Number(/\/(\d+)\s*$/.exec(url)?.[1] ?? 0), branch, draft: given['draft'] === true } }
}
