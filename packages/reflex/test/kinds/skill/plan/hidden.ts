import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { SharedOptions } from '../../../../src/app/options.ts'
import { Reflex } from '../../../../src/app/reflex.ts'
import type { SkillOptions } from '../../../../src/kinds/skill/index.ts'
import type { Json } from '../../../../src/kernel/index.ts'
import { virtualHost } from '../../../../src/testing/index.ts'
import { defineTool, type Tool } from '../../../../src/tools/index.ts'
import { newFolder } from '../../../app/folders.ts'

/** A manifest of tests: one slot for each way in which a value comes in, and a tool that gets them. */
export function manifestOf(change: Readonly<Record<string, unknown>> = {}): never {
  return {
    schema: 'reflex.capability/1',
    id: 'mail.send',
    version: '1.0.0',
    owner: 'team',
    compat: {},
    signature: {
      inputs: [
        { name: 'to', type: 'string', pattern: '[a-z]+' },
        { name: 'token', type: 'secret_ref', required: false, default: 'vault://mail/token' },
        { name: 'pin', type: 'string', sensitive: true, required: false, default: 'none' },
      ],
      outputs: [{ name: 'receipt', type: 'string', sensitive: true }],
    },
    preconditions: { tools_available: ['mail.login', 'mail.post', 'mail.undo'] },
    plan: {
      idempotence_key: 'mail:{{to}}:{{pin}}',
      steps: [
        { id: 'login', tool: 'mail.login', args: { token: '{{token}}', pin: '{{pin}}', say: 'pin {{pin}}' } },
        { id: 'post', tool: 'mail.post', args: { to: '{{to}}', session: '{{steps.login.result.session}}' } },
      ],
      compensation: [{ when: 'any', for_step: 'login', tool: 'mail.undo', args: { token: '{{token}}', pin: '{{pin}}' } }],
      result_map: { receipt: '{{steps.login.result.session}}' },
    },
    effects: { external: ['sent:mail'] },
    activation: { keywords_any: ['mail'], score_weights: { keyword_hit: 1 }, tau: 1 },
    ...change,
  } as never
}

type NamedTexts = Readonly<Record<string, string>>

/** What tools were called with. */
export type Calls = (readonly [tool: string, args: NamedTexts])[]

/** A tool that keeps what it gets, and does what a test says. */
export function noted(calls: Calls, name: string, does: (args: NamedTexts) => Json): Tool {
  return defineTool({
    name,
    description: name,
    leaves: true,
    repeat: 'keyed',
    run(args) {
      calls.push([name, args as NamedTexts])
      return does(args as NamedTexts)
    },
  })
}

/** A `Reflex` with its store in a folder of its own, and all that the folder has. */
export function onDisk(options: Partial<SharedOptions> & { readonly workdir?: string; readonly skill?: SkillOptions }): {
  reflex: Reflex
  readonly files: () => string
} {
  const workdir = options.workdir ?? newFolder()
  const host = virtualHost()
  const reflex = new Reflex({
    workdir,
    trust: 'trusted',
    ...options,
    surroundings: {
      host,
      worker: { id: 'w', host: 'test', pid: process.pid },
      cwd: workdir,
      environment: {},
      actor: 'ana',
      seal: (text) => `${text} of ana, which nobody else knows`,
      ...options.surroundings,
    },
  })
  onTestFinished(() => reflex.close())
  return { reflex, files: () => textOf(workdir) }
}

/** Returns the bytes of all files of a folder. */
function textOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile())
  return files.map((file) => readFileSync(join(file.parentPath, file.name)).toString('latin1')).join('\n')
}
