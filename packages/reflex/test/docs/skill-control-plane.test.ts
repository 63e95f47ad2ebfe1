import { expect, test } from 'vitest'
import { reflex, workFolder } from '../cli/worlds.ts'
import { served } from '../serve/served.ts'
import { kindPage, wordsOf } from './page.ts'

const { blocks } = kindPage('skill-control-plane')

const commands = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trimEnd().split('\n'))
  .filter((line) => line.startsWith('npx'))
  .map((line) => wordsOf(line.replace(/^npx reflex /, '')))

test('the commands of the page end as it says', async () => {
  const server = await served()
  const environment = { REFLEX_CONTROL_PLANE: server.url, REFLEX_CONTROL_TOKEN: server.token }
  const options = { folder: workFolder(), environment }
  await reflex(['skill', 'test', 'look-up.skill.json'], options)
  await reflex(['skill', 'approve', 'orders.look_up@1.0.0', '--by', 'ana'], options)
  expect(commands).toHaveLength(2)
  for (const words of commands) {
    const { code, err } = await reflex(words, options)
    expect([words, code, code === 0 ? '' : err]).toEqual([words, 0, ''])
  }
  const promoted = await reflex([...(commands[1] ?? []), '--json'], options)
  expect(JSON.parse(promoted.out)).toMatchObject({ promotion: { status: 'passed', reason: 'active in production' } })
  expect(JSON.parse((await reflex(['skill', 'sync', '--json'], options)).out)).toMatchObject({ synced: { refused: [] }, reported: 0 })
})

test('without a control plane the command says what to set', async () => {
  const { code, err } = await reflex(['skill', 'sync'], { folder: workFolder() })
  expect(code).toBe(1)
  expect(err).toContain('REFLEX_CONTROL_PLANE')
})
