import { expect, test } from 'vitest'
import { inProcess, kindPage } from './page.ts'

const page = kindPage('skill-checklist')

test('the check of a wrapped agent that the page shows passes', { timeout: 120_000 }, () => {
  const [line = ''] = page.blocks.flatMap(({ language, text }) => (language === 'sh' ? [text.trim()] : []))
  expect(inProcess(page.folder, line)).toEqual({ code: 0, out: 'it is wrapped\n', err: '' })
})
