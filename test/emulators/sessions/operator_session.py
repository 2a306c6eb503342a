"""What every session of an operator does: wait, ask the control door, follow the items that Holdfast writes."""

import json
import os
import time
import urllib.request

import boto3

ENDPOINT = os.environ["AWS_ENDPOINT_URL"]

groups = boto3.resource("dynamodb").Table("holdfast-groups")
state = boto3.resource("dynamodb").Table("holdfast-state")
states = boto3.client("stepfunctions")


def eventually(what, look, within=60):
    """Looks again until there is something, and returns it."""
    until = time.monotonic() + within
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > until:
            raise SystemExit(f"Waited {within} seconds in vain for: {what}")
        time.sleep(0.2)


def control(path, body):
    request = urllib.request.Request(f"{ENDPOINT}/_sandbox/{path}", json.dumps(body).encode())
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def put_policy(group, policy):
    """`policy` is a map or text in YAML: both are what users write."""
    groups.put_item(Item={"group": group, "item": "policy", "policy": policy})


def status(group, wanted):
    def look():
        item = groups.get_item(Key={"group": group, "item": "status"}, ConsistentRead=True).get("Item")
        return item if item and item["status"] == wanted else None

    return eventually(f"{group} is {wanted}", look)


def items(table, group):
    key = boto3.dynamodb.conditions.Key("group").eq(group)
    return [item["item"] for item in table.query(KeyConditionExpression=key)["Items"]]


def ended_drain(group, instance):
    """The execution that drained an instance, once it has ended, with the types of its events."""
    machine = states.list_state_machines()["stateMachines"][0]["stateMachineArn"]

    def look():
        # The record of a replaced member becomes one of the past after a while.
        keys = [{"group": group, "item": f"{kind}#{instance}"} for kind in ("swap", "past")]
        swap = next((found["Item"] for key in keys if "Item" in (found := state.get_item(Key=key))), {})
        if "drain" not in swap:
            return None
        name = machine.replace(":stateMachine:", ":execution:") + ":" + swap["drain"]
        told = states.describe_execution(executionArn=name)
        return told if told["status"] != "RUNNING" else None

    execution = eventually(f"a drain of {instance} has ended", look)
    pages = states.get_paginator("get_execution_history").paginate(executionArn=execution["executionArn"])
    return execution["status"], [event["type"] for page in pages for event in page["events"]]


def report(**told):
    print(json.dumps(told))
