import { OPEN } from '../manifest/behaviour.ts'
import { defineNode } from '../manifest/manifest.ts'
import { SCRIPT_PORT } from './conditions.ts'
import { ANY } from './outcomes.ts'
import { applyCode } from './run-code.ts'

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
      return this.enter(tick, node)
    },
    settle: applyCode,
  },
})
