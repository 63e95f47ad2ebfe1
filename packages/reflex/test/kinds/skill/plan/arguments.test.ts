import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../../../app/folders.ts'
import { type Calls, manifestOf, noted, onDisk } from './hidden.ts'

const INPUTS = [
  { name: 'to', type: 'path' },
  { name: 'more', type: 'string', required: false, pattern: '[a-z]+' },
]

/** A plan of some steps over the slots `to` and `more`. */
function plan(steps: readonly object[], tools: readonly string[], more: Readonly<Record<string, unknown>> = {}): never {
  return manifestOf({
    signature: { inputs: INPUTS, outputs: [] },
    preconditions: { tools_available: tools },
    plan: { idempotence_key: 'k:{{to}}', steps, compensation: 'none', irreversible_reason: 'a test' },
    ...more,
  })
}

describe('the arguments of a skill', () => {
  // proves: skill 24
  it('without a value stop it before any effect, wherever the value is needed', async () => {
    const calls: Calls = []
    const { reflex } = onDisk({ tools: [noted(calls, 'mail.post', () => 'ok'), noted(calls, 'mail.undo', () => 'ok')] })
    const first = { id: 'first', tool: 'mail.post', args: { to: '{{to}}' } }
    const needs = { args: { more: '{{more}}' } }
    const run = (manifest: never, input: object = {}) => reflex.run(manifest, { input: { to: 'ana', ...input }, skill: { draft: true } })
    for (const manifest of [
      plan([{ id: 'x', tool: 'mail.post', args: { x: '{{work.none}}' } }], ['mail.post']),
      plan([first, { id: 'x', tool: 'mail.post', ...needs }], ['mail.post']),
      plan([first], ['mail.post', 'mail.undo'], {
        plan: { idempotence_key: 'k:{{to}}', steps: [first], compensation: [{ when: 'any', tool: 'mail.undo', ...needs }] },
      }),
    ]) {
      const { failure } = await run(manifest)
      expect([failure?.code, failure?.message, calls]).toEqual(['R1471', expect.stringContaining('has no value'), []])
    }
    const skips = { id: 'x', tool: 'mail.post', guards: ["has(args.more) && args.more != ''"], on_guard_false: 'skip', ...needs }
    expect((await run(plan([first, skips], ['mail.post'], { id: 'mail.skips' }))).status).toBe('completed')
    expect(calls).toEqual([['mail.post', { to: 'ana' }]])
  })

  // proves: skill 32-links
  it('lead a tool of Reflex out of its folder by no link', async () => {
    const [workdir, outside] = [newFolder(), newFolder()]
    writeFileSync(join(outside, 'secret.txt'), 'outside')
    writeFileSync(join(workdir, 'own.txt'), 'own')
    symlinkSync(outside, join(workdir, 'out'))
    symlinkSync(join(outside, 'secret.txt'), join(workdir, 'link.txt'))
    const { reflex } = onDisk({ workdir, trust: 'probationary' })
    const steps = [{ id: 'read', tool: 'file.read', args: { path: '{{to}}' } }]
    const skill = plan(steps, ['file.read'], {
      signature: { inputs: INPUTS, outputs: [{ name: 'text', type: 'json' }] },
      effects: {},
      plan: { steps, compensation: [], result_map: { text: '{{steps.read.result}}' } },
    })
    const read = async (to: string) => reflex.run(skill, { input: { to }, skill: { draft: true } })
    expect(JSON.stringify((await read('own.txt')).value)).toContain('own')
    for (const to of ['link.txt', 'out/secret.txt']) {
      const { failure, value } = await read(to)
      expect(failure?.message).toContain('arbor://fs/read')
      expect(JSON.stringify([failure, value])).not.toContain('outside')
    }
  })

  // proves: skill 27, skill 28
  it('reach a shell only where step and policy allow it, and never its text', async () => {
    const { reflex } = onDisk({})
    const step = (tool: string, args: object, shell: boolean) => [{ id: 'a', tool, args, ...(shell ? { shell } : {}) }]
    const check = (tool: string, args: object, [shell, allow_shell]: readonly [boolean, boolean]) =>
      reflex.run(plan(step(tool, args, shell), [tool], { policy: { allow_shell } }), { input: { to: 'x' }, skill: { draft: true } })
    const line = { argv: 'printf %s {{to}} | cat' }
    const text = { command: 'true | cat' }
    await expect(check('command', line, [false, false])).rejects.toMatchObject({ rule: 'E_SHELL_OPERATORS' })
    await expect(check('command', line, [true, false])).rejects.toMatchObject({ rule: expect.stringMatching(/^E_SHELL_/) as string })
    await expect(check('command', line, [false, true])).rejects.toMatchObject({ rule: 'E_SHELL_OPERATORS' })
    for (const allowed of [
      [false, false],
      [true, false],
      [false, true],
    ] as const)
      await expect(check('shell', text, allowed)).rejects.toMatchObject({ rule: 'E_SHELL_POLICY' })
    await expect(check('shell', { command: 'echo {{to}}' }, [true, true])).rejects.toMatchObject({ rule: 'E_SCRIPT_VALUE' })
    await expect(check('command', { cmd: 'true' }, [false, false])).rejects.toMatchObject({ rule: 'E_COMMAND_ARG' })
    expect((await check('shell', text, [true, true])).status).toBe('completed')
    expect((await check('command', line, [true, true])).status).toBe('completed')
  })
})
