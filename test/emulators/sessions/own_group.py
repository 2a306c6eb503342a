"""A group of its own, kept by tag, that serves a target group: its policy is a map."""

import boto3
from botocore.exceptions import ClientError

from operator_session import control, ended_drain, eventually, groups, items, put_policy, report, state, status

ec2 = boto3.client("ec2")
elb = boto3.client("elbv2")

template = ec2.create_launch_template(
    LaunchTemplateName="workers",
    LaunchTemplateData={"ImageId": "ami-0123456789abcdef0", "InstanceType": "m7g.large"},
)["LaunchTemplate"]
vpc = ec2.describe_subnets(SubnetIds=["subnet-a"])["Subnets"][0]["VpcId"]
targets = elb.create_target_group(
    Name="workers",
    Protocol="HTTP",
    Port=80,
    VpcId=vpc,
    HealthCheckIntervalSeconds=5,
    HealthyThresholdCount=2,
)["TargetGroups"][0]["TargetGroupArn"]
balancer = elb.create_load_balancer(Name="workers", Subnets=["subnet-a", "subnet-b", "subnet-c"])["LoadBalancers"][0]
elb.create_listener(
    LoadBalancerArn=balancer["LoadBalancerArn"],
    Protocol="HTTP",
    Port=80,
    DefaultActions=[{"Type": "forward", "TargetGroupArn": targets}],
)

policy = {
    "group": "workers",
    "size": 3,
    "capacity": {"tiered": [{"spread": ["spot-a", "spot-b"]}, "od-c"]},
    "defaults": {"launchTemplate": "workers", "instanceTypes": ["m7g.large", "m6g.large"]},
    "drain": {"loadBalancers": [targets]},
    "pools": {
        "spot-a": {"market": "spot", "subnets": ["subnet-a"]},
        "spot-b": {"market": "spot", "subnets": ["subnet-b"]},
        "od-c": {"market": "on-demand", "subnets": ["subnet-c"]},
    },
}

put_policy("workers", {**policy, "size": "many", "capacity": {"tiered": ["spot-x"]}})
rejected = status("workers", "rejected")
put_policy("workers", policy)
accepted = status("workers", "accepted")


def members():
    pages = ec2.get_paginator("describe_instances").paginate(
        Filters=[
            {"Name": "tag:holdfast:group", "Values": ["holdfast/workers"]},
            {"Name": "instance-state-name", "Values": ["pending", "running"]},
        ]
    )
    return {i["InstanceId"]: i for page in pages for r in page["Reservations"] for i in r["Instances"]}


def healthy():
    told = elb.describe_target_health(TargetGroupArn=targets)["TargetHealthDescriptions"]
    return {t["Target"]["Id"] for t in told if t["TargetHealth"]["State"] == "healthy"}


def serving_without(gone):
    """The members that serve, once there are as many as the policy wants and none of them is `gone`."""
    return eventually("3 members serve", lambda: len(healthy() - gone) == 3 and gone.isdisjoint(healthy()) and healthy())


first = serving_without(set())
spot = [i for i in sorted(first) if members()[i].get("InstanceLifecycle") == "spot"]
taken = spot[0]
warned = control("interrupt", {"instanceIds": [taken]})
second = serving_without({taken})
drain, history = ended_drain("workers", taken)

# The operator ends one by hand: the group is brought back to its size all the same.
ended = sorted(second)[0]
ec2.terminate_instances(InstanceIds=[ended])
third = serving_without({taken, ended})

try:
    ec2.describe_instances(InstanceIds=["i-00000000000000000"])
    unknown = None
except ClientError as error:
    unknown = error.response["Error"]["Code"]

report(
    template=template["LatestVersionNumber"],
    rejected=[problem["path"] for problem in rejected["problems"]],
    accepted=accepted["message"],
    version=int(accepted["version"]),
    spot=len(spot),
    warned=warned,
    taken=taken,
    drain=drain,
    history=history,
    groups=items(groups, "workers"),
    swaps=[item for item in items(state, "workers") if taken in item],
    decisions=len([item for item in items(state, "workers") if item.startswith("decision#")]),
    serving=len(third),
    unknown=unknown,
)
