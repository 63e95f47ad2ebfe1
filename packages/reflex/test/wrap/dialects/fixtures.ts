import { anthropicFixture } from './anthropic-fixture.ts'
import type { Fixture } from './fixture.ts'
import { agentsFixture, langFixture, sdkFixture } from './framework-fixtures.ts'
import { chatFixture, responsesFixture } from './openai-fixtures.ts'

/** One for each dialect. */
export const FIXTURES: readonly Fixture[] = [chatFixture, responsesFixture, anthropicFixture, sdkFixture, agentsFixture, langFixture]
