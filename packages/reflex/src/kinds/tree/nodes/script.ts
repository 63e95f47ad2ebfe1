import { isObject, type Json } from '../../../kernel/index.ts'
import { OPEN, type Settled, type Tick, type TreeNode } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { SCRIPT_PORT } from './conditions.ts'
import { ANY } from './outcomes.ts'
import { applyCode, resumeCode } from './run-code.ts'

/** The longest time of a script in milliseconds. Longer times are cut to it. */
export const LONGEST_SCRIPT_MS = 30_000

export const script = defineNode({
  type: 'script',
  role: 'leaf',
  children: [0, 0],
  lua: { shapes: [['id', 'config'], ['config']] },
  parameters: [
    { name: 'code', type: 'lua', aliases: ['lua'], doc: 'The text of the script.' },
    { name: 'file', type: 'path', doc: 'A file below the folder of the tree, in place of `code`.' },
    { name: 'code_file', type: 'text', doc: 'The file that `code` was read from, for messages.' },
    { name: 'timeout_ms', type: 'ms', default: 5000, unit: 'ms', doc: 'The longest time, at most 30,000.' },
  ],
  propagates: 'leaf',
  outcomes: () => ANY,
  check: ({ code, file }) => ((code === undefined) === (file === undefined) ? 'write either code or file' : undefined),
  doc: 'Runs Lua in a sandbox. It answers { status = "success" | "failure" | "running" }, true or false; nothing is a success. Its writes count if it returns normally.',
  example: 'BT.script("count", { code = "bb.set(\'tries\', bb.tries + 1)" })',
  behaviour: {
    enter(tick, node) {
      const { code, timeout_ms } = node.params
      const wallMs = Math.min(Number(timeout_ms), LONGEST_SCRIPT_MS)
      tick.request(node, SCRIPT_PORT, { node: node.path, code: code ?? null, wall_ms: wallMs }, { isLimited: false })
      return OPEN
    },
    resume(tick, node) {
      return resumeCode(tick, node, () => this.enter(tick, node))
    },
    settle(tick, node, settled) {
      if (!settled.ok) noteError(tick, node, settled)
      return applyCode(tick, node, settled)
    },
    part(tick, node, delta) {
      if (isObject(delta) && delta.rate !== undefined) {
        tick.emit('security.rate.exceeded', { node_id: node.id, current_rate: delta.rate, limit: 10, severity: 'warning' })
      }
      return false
    },
  },
})

/** Keeps the error of a script where people and recovery trees look for it (UB-03). */
function noteError(tick: Tick, node: TreeNode, { fault }: Settled & { readonly ok: false }): void {
  const { message, line, data = {}, frame } = fault
  const error: Record<string, Json> = { message, traceback: data.lua_traceback ?? '' }
  if (line !== undefined) error.line = line
  if (frame !== undefined) error.frame = frame
  tick.board(node).setInternal('_last_script_error', error)
}
