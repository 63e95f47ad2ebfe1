import { expect, test } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { reflex, workFolder } from '../cli/worlds.ts'

test('the command prints the trust of a fork, and that no effect of it leaves the machine', async () => {
  const world = { folder: workFolder(), host: virtualHost(), keyboard: false }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'auto'], world)
  const told = await reflex(['fork', 'otter@9', '--id', 'crane-6v4h', '--trust', 'untrusted', '--simulate'], world)
  expect(told.screen).toMatch(/untrusted, by the fork \(was\s+probationary\)[^]*simulated: nothing leaves this\s+machine/)
  const json = await reflex(['fork', 'otter@9', '--trust', 'untrusted', '--json'], world)
  const document: unknown = JSON.parse(json.out)
  expect(DOCUMENTS.fork.parse(document)).toEqual(document)
  expect(document).toMatchObject({ trust: 'untrusted', trustBefore: 'probationary', simulated: false })
  expect((await reflex(['fork', 'otter@9', '--trust', 'boundless'], world)).code).toBe(2)
  expect((await reflex(['resume', 'crane', '--answers', 'none'], world)).screen).toContain('simulated: nothing leaves this machine')
})
