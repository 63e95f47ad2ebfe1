import { isObject, type Json, type JsonObject } from '../../../../kernel/index.ts'
import { durationOf } from '../../language/duration.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Answer, Ask, NodeContext } from '../../contract/handler.ts'
import { commandResult } from '../commands/command-result.ts'
import { sandboxOf, stageFolder } from '../commands/hooks.ts'
import { onResume } from '../commands/requirements.ts'
import { type Action, type ActionProblem, okOrProblem } from './action.ts'
import { folderOf } from './files.ts'
import type { ParameterValues } from '../../model/action-parameters.ts'

const TIMEOUT = 120_000

/** The result of a command. */
export interface CommandEnd {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command from a list of words, without a shell, in the sandbox of the node. */
export function* runCommand(
  context: NodeContext,
  argv: readonly string[],
  cwd: string,
  options: { readonly stdin?: string; readonly timeout?: Json | undefined } = {},
): Generator<Ask, CommandEnd | ActionProblem, Answer> {
  const { stdin } = options
  const args: JsonObject = {
    argv: [...argv],
    cwd,
    timeout: timeoutOf(context, options.timeout),
    ...(stdin === undefined ? {} : { stdin }),
    ...sandboxOf(context),
  }
  const settled = okOrProblem(yield* callTool('command', args, onResume(context)))
  if ('problem' in settled) return settled
  noteWarning(context, settled.ok)
  return commandEndOf(settled.ok)
}

/** Notes in the trace which processes or files of a command were removed. */
function noteWarning(context: NodeContext, result: Json): void {
  const { warning } = isObject(result) ? result : {}
  if (typeof warning === 'string') context.note('sandbox', { node_id: context.node.id, warning })
}

export function commandEndOf(value: Json): CommandEnd {
  const { code, stdout, stderr } = isObject(value) ? value : {}
  return { code: typeof code === 'number' ? code : null, stdout: renderText(stdout), stderr: renderText(stderr) }
}

/** Returns the timeout in milliseconds: of the action, otherwise of the node, otherwise two minutes. */
export function timeoutOf(context: NodeContext, stated: Json | undefined): number {
  if (typeof stated === 'number' && stated > 0) return stated
  const node = durationOf(context.attributes, 'timeout')
  return node === undefined || node === 0 ? TIMEOUT : node
}

/** Runs a shell command. An exit code other than 0 is a result, not a failure. */
export const shellRun: Action = function* (context, params) {
  const settled = okOrProblem(
    yield* callTool(
      'shell',
      {
        command: params['command'] ?? '',
        cwd: folderOf(context, params, 'cwd'),
        timeout: timeoutOf(context, params['timeout']),
        stage: stageFolder(context),
        ...sandboxOf(context),
      },
      onResume(context),
    ),
  )
  if ('problem' in settled) return settled
  noteWarning(context, settled.ok)
  const { code, stdout, stderr } = commandEndOf(commandResult(settled.ok))
  return { result: { exit_code: code, stdout, stderr, output: stdout, success: code === 0 } }
}

/** Matches names that git accepts as a branch and never as an option. */
const BRANCH = /^[A-Za-z0-9_][\w./-]{0,199}$/
const MOST_OUTPUT = 500

function* git(
  context: NodeContext,
  params: ParameterValues,
  words: readonly string[],
  stdin?: string,
): Generator<Ask, CommandEnd | ActionProblem, Answer> {
  return yield* runCommand(context, ['git', ...words], folderOf(context, params), stdin === undefined ? {} : { stdin })
}

function gitProblem(what: string, end: CommandEnd): ActionProblem {
  return { problem: `${what} exited with code ${String(end.code)}: ${(end.stderr.trim() || end.stdout.trim()).slice(0, MOST_OUTPUT)}` }
}

/** Switches to a branch, and creates it if it does not exist. */
export const gitBranch: Action = function* (context, params) {
  const branch = renderText(params['branch'])
  const base = renderText(params['base'])
  for (const name of [branch, ...(base === '' ? [] : [base])]) {
    if (!BRANCH.test(name) || name.includes('..')) return { problem: `${JSON.stringify(name)} cannot be the name of a branch` }
  }
  const known = yield* git(context, params, ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`])
  if ('problem' in known) return known
  const created = known.code !== 0
  const switched = yield* git(context, params, created ? ['switch', '-c', branch, ...(base === '' ? [] : [base])] : ['switch', branch])
  if ('problem' in switched) return switched
  return switched.code === 0 ? { result: { branch, created } } : gitProblem('git switch', switched)
}

/** Commits `files`, or all changes. An empty commit is a result, not a failure. Git reads the message from its standard input. */
export const gitCommit: Action = function* (context, params) {
  const files = (params['files'] as readonly Json[] | undefined)?.map((file) => renderText(file)) ?? []
  if (files.length > 0 || params['all'] !== false) {
    const added = yield* git(context, params, files.length > 0 ? ['add', '--', ...files] : ['add', '--all'])
    if ('problem' in added) return added
    if (added.code !== 0) return gitProblem('git add', added)
  }
  const staged = yield* git(context, params, ['diff', '--cached', '--quiet'])
  if ('problem' in staged) return staged
  if (staged.code === 0) return { result: { committed: false, commit: null, message: 'nothing to commit' } }
  const message = renderText(params['message'])
  const committed = yield* git(context, params, ['commit', '--quiet', '-F', '-'], message)
  if ('problem' in committed) return committed
  if (committed.code !== 0) return gitProblem('git commit', committed)
  const head = yield* git(context, params, ['rev-parse', 'HEAD'])
  return 'problem' in head ? head : { result: { committed: true, commit: head.stdout.trim(), commit_hash: head.stdout.trim(), message } }
}

/** Pushes a branch and opens a pull request for it with `gh`, which reads the text from its standard input. */
export const gitPr: Action = function* (context, params) {
  const cwd = folderOf(context, params)
  let branch = renderText(params['branch'])
  if (branch === '') {
    const current = yield* git(context, params, ['branch', '--show-current'])
    if ('problem' in current) return current
    branch = current.stdout.trim()
  }
  const base = renderText(params['base'])
  for (const name of [branch, ...(base === '' ? [] : [base])]) {
    if (!BRANCH.test(name) || name.includes('..')) return { problem: `${JSON.stringify(name)} cannot be the name of a branch` }
  }
  if (params['push'] !== false) {
    const pushed = yield* git(context, params, ['push', '--set-upstream', 'origin', branch])
    if ('problem' in pushed) return pushed
    if (pushed.code !== 0) return gitProblem('git push', pushed)
  }
  const words = ['gh', 'pr', 'create', `--title=${renderText(params['title'])}`, '--body-file=-', `--head=${branch}`]
  const options = [...(base === '' ? [] : [`--base=${base}`]), ...(params['draft'] === true ? ['--draft'] : [])]
  const opened = yield* runCommand(context, [...words, ...options], cwd, { stdin: renderText(params['body']) })
  if ('problem' in opened) return opened
  if (opened.code !== 0) return gitProblem('gh pr create', opened)
  const url = /https?:\/\/\S+/.exec(opened.stdout)?.[0] ?? opened.stdout.trim()
  return { result: { pr_url: url, url, number: Number(/\/(\d+)\s*$/.exec(url)?.[1] ?? 0), branch, draft: params['draft'] === true } }
}
