import { Agent } from '@mastra/core/agent'
import type { MastraModelConfig } from '@mastra/core/llm'
import { createTool } from '@mastra/core/tools'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { generateText, stepCountIs, streamText, tool, ToolLoopAgent } from 'ai'
import { z } from 'zod'
import type { Reflex, WrapOptions } from '../../../src/wrap/index.ts'

type Act = (args: { readonly [name: string]: string }) => unknown

/** The parts of an agent, for whichever framework. */
export interface AgentParts extends WrapOptions {
  readonly model: LanguageModelV4
  readonly tools?: Readonly<Record<string, Act>>
}

/** A wrapped agent that says what the last reply of its model was. */
export interface TestAgent {
  run(text: string, options?: object): Promise<string>
  stream(text: string, options?: object): Promise<AsyncIterable<string>>
  resume(run: string): Promise<string>
}

/** Wraps an agent of a framework, built of the parts. */
export type MakeAgent = (reflex: Reflex, parts: AgentParts) => TestAgent

const ARGS = z.record(z.string(), z.string())

/** Returns a model as Mastra's types have it: they come from another copy of the AI SDK's. */
export function mastraModel(model: LanguageModelV4): MastraModelConfig {
  return model as unknown as MastraModelConfig
}

function sdkTools(tools: Readonly<Record<string, Act>> = {}) {
  return Object.fromEntries(
    Object.entries(tools).map(([name, act]) => [name, tool({ description: name, inputSchema: ARGS, execute: async (args) => act(args) })]),
  )
}

function mastraTools(tools: Readonly<Record<string, Act>> = {}) {
  return Object.fromEntries(
    Object.entries(tools).map(([name, act]) => [
      name,
      createTool({ id: name, description: name, inputSchema: ARGS, execute: async (args) => act(args) }),
    ]),
  )
}

interface Wrapped {
  run(text: string, options?: object): Promise<{ readonly text: unknown }>
  stream(text: string, options?: object): Promise<{ readonly textStream: AsyncIterable<string> | ReadableStream<string> }>
  resume(run: string): Promise<{ readonly text: unknown }>
}

function testAgent(wrapped: Wrapped): TestAgent {
  return {
    run: async (text, options) => String(await (await wrapped.run(text, options)).text),
    stream: async (text, options) => (await wrapped.stream(text, options)).textStream,
    resume: async (run) => String(await (await wrapped.resume(run)).text),
  }
}

/** How an agent of each framework is wrapped, one line each. */
export const AGENTS: Readonly<Record<string, MakeAgent>> = {
  generateText: (reflex, { model, tools, ...options }) =>
    testAgent(
      reflex.wrap({
        framework: 'ai-sdk',
        name: 'agent',
        model,
        tools: sdkTools(tools),
        stopWhen: stepCountIs(9),
        ...options,
        agent: async (prompt: string, { settings }) => generateText({ ...settings, prompt }),
        // It has no stream of text.
      }) as unknown as Wrapped,
    ),
  streamText: (reflex, { model, tools, ...options }) =>
    testAgent(
      reflex.wrap({
        framework: 'ai-sdk',
        name: 'agent',
        model,
        tools: sdkTools(tools),
        stopWhen: stepCountIs(9),
        onError: () => undefined,
        ...options,
        agent: (prompt: string, { settings }) => streamText({ ...settings, prompt }),
      }),
    ),
  ToolLoopAgent: (reflex, { model, tools, ...options }) =>
    testAgent(
      reflex.wrap((settings) => new ToolLoopAgent(settings), {
        framework: 'ai-sdk',
        model,
        tools: sdkTools(tools),
        name: 'agent',
        ...options,
      }),
    ),
  'Mastra Agent': (reflex, { model, tools, ...options }) => {
    const settings = reflex.mastra({
      id: 'agent',
      name: 'agent',
      instructions: 'Help.',
      model: mastraModel(model),
      tools: mastraTools(tools),
    })
    return testAgent(reflex.wrap({ framework: 'mastra', agent: new Agent(settings), ...options }))
  },
}
